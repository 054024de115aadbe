import type { Schemas } from '../api/api-client.ts';
import type { Session } from '../api/session.ts';
import { ApiProblem } from '../api/problem.ts';
import { eventsOf, type PaymentEvent } from '../api/payment-events.ts';
import { failureWords } from '../output/failure-words.ts';
import { note, print } from '../output/print.ts';
import { factsOf, tableOf } from '../output/table.ts';

type Payment = Schemas['PaymentAnswer'];
type Verification = NonNullable<Payment['verification']>;
type Amounts = NonNullable<Payment['amounts']>;
type Progress = Schemas['ProgressAnswer'];
type Attempt = Schemas['AttemptAnswer'];

/** Of how many failed deliveries the answers are read. */
const MOST_READ = 20;

export async function showPayment(session: Session, quoteId: string, isJson: boolean): Promise<void> {
  const { text, data } = await session.api.call('get', '/api/payments/{quoteId}', { path: { quoteId } });
  if (isJson) return print(`${text}\n`);
  await print(paymentFacts(data));
  if (data.verification !== null && data.verification.checks.length > 0)
    await print(`\n${checkTable(data.verification)}`);
  await print(`\n${eventTable(await eventsOf(session.api, quoteId))}`);
  const progress = await progressOf(session, quoteId);
  if (progress === null) return;
  await print(`\n${acknowledgementTable(progress, await lastAttempts(session, progress))}`);
}

function paymentFacts(payment: Payment): string {
  const { resolution } = payment;
  return factsOf([
    ['quote id', payment.quoteId],
    ['provider', payment.provider],
    ['order', payment.orderId],
    ['metadata', payment.metadata === null ? null : JSON.stringify(payment.metadata)],
    ['status', `${payment.status}${payment.late ? ' (late)' : ''}`],
    ['tracking', payment.tracking],
    ['created', payment.createdAt],
    ['expires', payment.expiresAt],
    ['updated', payment.updatedAt],
    ['last polled', payment.lastPolledAt],
    ['next poll', payment.nextPollAt],
    ['sum', payment.amounts === null ? null : sumOf(payment.amounts)],
    ['proof', payment.verification === null ? null : proofOf(payment.verification)],
    ['resolved', resolution === null ? null : `${resolution.reason} by ${resolution.by}`],
  ]);
}

/** `underpaid: 1.00 of 25.42 came, 24.9 arrived` */
function sumOf({ send, receive, match }: Amounts): string {
  const came = send.came === null ? [] : [`${send.came} of ${send.asked ?? 'an unknown sum'} came`];
  const arrived = receive.arrived === null ? [] : [`${receive.arrived} arrived`];
  const sums = [...came, ...arrived].join(', ');
  return sums === '' ? match : `${match}: ${sums}`;
}

/** `proven on chain 8453 by 0x5a… in block 19000000, says rpc.example` */
function proofOf({ state, chainId, txHash, block, sources }: Verification): string {
  const words = [
    state === 'unverified' ? 'unverified: by the word of the provider alone' : state,
    chainId === null ? null : `on chain ${chainId}`,
    txHash === null ? null : `by ${txHash}`,
    block === null ? null : `in block ${block}`,
  ];
  const said = words.filter((word) => word !== null).join(' ');
  return sources.length === 0 ? said : `${said}, says ${sources.join(', ')}`;
}

function checkTable({ checks }: Verification): string {
  return tableOf(
    ['CHECK', 'RESULT', 'WHY'],
    checks.map(({ name, passed, detail }) => [
      name,
      passed === null ? 'unknown' : passed ? 'ok' : 'no',
      detail,
    ]),
  );
}

function eventTable(events: readonly PaymentEvent[]): string {
  return tableOf(
    ['NUMBER', 'EVENT', 'TIME', 'STATUS', 'LATE', 'REASON', 'EVENT ID'],
    events.map(({ id, type, time, data }) => {
      const { sequence, status, late } = data;
      return [sequence, type, time, status, late, 'reason' in data ? String(data.reason) : null, id];
    }),
  );
}

/** A shop's key may read payments, and not their deliveries. */
async function progressOf({ api }: Session, quoteId: string): Promise<Progress | null> {
  try {
    const { data } = await api.call('get', '/api/payment-progress', {
      query: { quoteId: [quoteId] },
    });
    const [progress] = data.data;
    return progress === undefined || destinationsOf(progress).length === 0 ? null : progress;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.httpStatus !== 403) throw error;
    note('The role of this key does not show deliveries.');
    return null;
  }
}

function destinationsOf({ deliveries, exchange }: Progress) {
  return [...(exchange === null ? [] : [exchange]), ...deliveries];
}

/** The last attempts of failed deliveries, by the ids of these. */
async function lastAttempts({ api }: Session, progress: Progress): Promise<ReadonlyMap<string, Attempt>> {
  const failed = destinationsOf(progress).filter(({ lastFailure }) => lastFailure !== null);
  const read = failed.slice(0, MOST_READ).map(async ({ id }) => {
    const { data } = await api.call('get', '/api/webhook-deliveries/{id}', { path: { id } });
    return data.attempts.slice(-1).map((attempt) => [id, attempt] as const);
  });
  return new Map((await Promise.all(read)).flat());
}

function acknowledgementTable(progress: Progress, attempts: ReadonlyMap<string, Attempt>): string {
  return tableOf(
    ['DESTINATION', 'EVENT', 'STATE', 'ATTEMPTS', 'LAST FAILURE', 'NEXT ATTEMPT', 'DELIVERY'],
    destinationsOf(progress).map((delivery) => {
      const { lastFailure: failure, lastHttpStatus: httpStatus, id } = delivery;
      const { code = null, body: text = null } = attempts.get(id) ?? {};
      return [
        delivery.destination.name,
        `${delivery.sequence} ${delivery.type}`,
        delivery.state,
        delivery.attemptCount,
        failure === null ? null : failureWords({ failure, code, httpStatus, text }),
        delivery.nextAttemptAt,
        id,
      ];
    }),
  );
}
