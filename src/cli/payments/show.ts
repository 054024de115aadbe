import { readRoute } from '../../domain/payment/route.ts';
import { eventWords } from '../../domain/story/event-words.ts';
import { sayOrder } from '../../domain/story/say-order.ts';
import { memberText } from '../../domain/text/member-text.ts';
import type { Answered, ApiClient, Schemas } from '../api/api-client.ts';
import { ApiProblem } from '../api/problem.ts';
import { eventsOf, type PaymentEvent } from '../api/payment-events.ts';
import type { Session } from '../api/session.ts';
import { CommandError } from '../output/exit-status.ts';
import { note, print } from '../output/print.ts';
import { tableOf, textOf } from '../output/table.ts';
import { checkTable, paymentFacts } from './facts.ts';
import { paymentTable } from './list.ts';
import { readUntold } from './told.ts';
import { storyOf } from './story.ts';
import { printReceivers, readReceivers } from './told-table.ts';

type Payment = Schemas['PaymentAnswer'];
type Order = Schemas['OrderAnswer'];

/** The status of an id that no payment has, or that is invalid. */
const UNKNOWN: ReadonlySet<number> = new Set([400, 404]);

/** Shows a payment by quote id or by order id. */
export async function showPayment(session: Session, id: string, isJson: boolean): Promise<void> {
  const { api } = session;
  const payment = await knownOr404(readPayment(api, id));
  if (payment !== null) return showOne(session, payment, isJson);
  const order = await knownOr404(api.call('get', '/api/orders/{orderId}', { path: { orderId: id } }));
  if (order === null) throw new CommandError(`No payment and no order has the id ${id}.`);
  const [only, ...others] = order.data.payments;
  if (only === undefined || others.length > 0) return showSeveral(session, order, isJson);
  await showOne(session, await readPayment(api, only.quoteId), isJson);
}

function readPayment(api: ApiClient, quoteId: string): Promise<Answered<Payment>> {
  return api.call('get', '/api/payments/{quoteId}', { path: { quoteId } });
}

async function knownOr404<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiProblem && UNKNOWN.has(error.httpStatus)) return null;
    throw error;
  }
}

async function showSeveral(
  { api }: Session,
  { text, data }: Answered<Order>,
  isJson: boolean,
): Promise<void> {
  if (isJson) return print(`${text}\n`);
  const quoteIds = data.payments.map(({ quoteId }) => quoteId);
  await print(`${sayOrder(data)}\n\n${paymentTable(data.payments, await readUntold(api, quoteIds))}`);
  const more = data.nextCursor === null ? '' : ' or more';
  note(`The order has ${quoteIds.length}${more} payments: name one by its quote id.`);
}

async function showOne(
  session: Session,
  { text, data: payment }: Answered<Payment>,
  isJson: boolean,
): Promise<void> {
  if (isJson) return print(`${text}\n`);
  // Parsing could drop digits of an amount.
  const texts = { quoteText: memberText(text, 'quote'), reportText: memberText(text, 'report') };
  const events = await eventsOf(session.api, payment.quoteId);
  const receivers = await readReceivers(session.api, payment.quoteId);
  const alsoPaidBy = await readAlsoPaidBy(session.api, payment);
  const sent = readRoute(texts).origin.amount;
  await print(storyOf(payment, { events, receivers, alsoPaidBy, sent }));
  await print(paymentFacts(payment, texts));
  if (payment.verification !== null && payment.verification.checks.length > 0)
    await print(`\n${checkTable(payment.verification)}`);
  await print(`\n${eventTable(events)}`);
  if (receivers === null) note('The role of this key does not show deliveries.');
  else await printReceivers(receivers, payment);
}

/** The other payments of an order that was paid twice; empty where this one does not count among them. */
async function readAlsoPaidBy(api: ApiClient, { quoteId, orderId }: Payment): Promise<string[]> {
  if (orderId === null) return [];
  const { data } = await api.call('get', '/api/payments', { query: { orderId, paidTwice: true } });
  const paid = data.data.map((each) => each.quoteId);
  return paid.includes(quoteId) ? paid.filter((each) => each !== quoteId) : [];
}

function eventTable(events: readonly PaymentEvent[]): string {
  return tableOf(
    ['NUMBER', 'EVENT', 'TIME', 'STATUS', 'LATE', 'REASON', 'EVENT ID'],
    events.map((event) => {
      const { id, type, time, data } = event;
      const { sequence, status, late } = data;
      return [sequence, type, time, status, late, reasonOf(event, events), id];
    }),
  );
}

/** A `payment.updated` has no reason, and says what changed. */
function reasonOf(event: PaymentEvent, events: readonly PaymentEvent[]): string | null {
  if (event.type === 'payment.updated') return textOf(eventWords(event, events, null));
  return 'reason' in event.data ? String(event.data.reason) : null;
}
