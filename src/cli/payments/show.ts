import { readRoute } from '../../domain/payment/route.ts';
import { eventWords } from '../../domain/story/event-words.ts';
import type { SaidEvent } from '../../domain/story/standing.ts';
import { tellPayment } from '../../domain/story/tell-payment.ts';
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
import { tellDestinations } from './told-table.ts';

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
  await print(paymentTable(data.payments, await readUntold(api, quoteIds)));
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
  await print(storyOf(payment, events, readRoute(texts).origin.amount));
  await print(`\n${paymentFacts(payment, texts)}`);
  if (payment.verification !== null && payment.verification.checks.length > 0)
    await print(`\n${checkTable(payment.verification)}`);
  await print(`\n${eventTable(events)}`);
  await tellDestinations(session.api, payment);
}

/** The story as the dashboard tells it; the receivers have a table of their own. */
function storyOf(payment: Payment, events: readonly PaymentEvent[], asked: string | null): string {
  const { send = {}, ...quote } = (payment.quote ?? {}) as { readonly send?: object };
  const exact = { ...payment, quote: { ...quote, send: { ...send, amount: asked } } };
  const told = { payment: exact, events: events as readonly SaidEvent[] };
  const hidden = { deliveries: [], destinations: null, now: Date.now(), clock: String };
  const { story, toDo } = tellPayment({ ...told, ...hidden });
  return `${textOf(story)}\n${toDo === null ? '' : `-> ${textOf(toDo)}\n`}`;
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
