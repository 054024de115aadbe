import { isRecord } from '../../domain/payment/reading.ts';
import type { ApiClient, Schemas } from '../api/api-client.ts';
import { ApiProblem } from '../api/problem.ts';
import type { Session } from '../api/session.ts';
import { note, print } from '../output/print.ts';
import { tableOf } from '../output/table.ts';
import { queryOf, type PaymentFilters } from './filters.ts';

export interface ListOptions extends PaymentFilters {
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: true;
}

type Payment = Schemas['PaymentAnswer'];
type Progress = Schemas['ProgressAnswer'];
type Untold = ReadonlyMap<string, string>;

export async function listPayments({ api }: Session, options: ListOptions): Promise<void> {
  const { limit, cursor } = options;
  const query = { ...queryOf(options), limit, ...(cursor === undefined ? {} : { cursor }) };
  const { text, data } = await api.call('get', '/api/payments', { query });
  if (options.json === true) return print(`${text}\n`);
  await print(paymentTable(data.data, await untoldOf(api, data.data)));
  if (data.nextCursor !== null) note(`There are more: --cursor ${data.nextCursor}`);
}

/** Of each payment, the destinations that have not taken an event, with how that failed; null where the key may not see them. */
async function untoldOf(api: ApiClient, payments: readonly Payment[]): Promise<Untold | null> {
  const quoteId = payments.map((payment) => payment.quoteId);
  if (quoteId.length === 0) return null;
  try {
    const { data } = await api.call('get', '/api/payment-progress', { query: { quoteId } });
    return new Map(data.data.map((progress) => [progress.quoteId, untoldWords(progress)]));
  } catch (error) {
    if (error instanceof ApiProblem && error.httpStatus === 403) return null;
    throw error;
  }
}

function untoldWords({ deliveries, exchange }: Progress): string {
  return [...(exchange === null ? [] : [exchange]), ...deliveries]
    .filter(({ state }) => state === 'pending' || state === 'failed')
    .map(({ destination: { name }, lastHttpStatus, lastFailure, waitingFor }) => {
      const why = lastHttpStatus ?? lastFailure ?? waitingFor;
      return why === null ? name : `${name} (${why})`;
    })
    .join('; ');
}

/** `117.00 USDC`, as the quote states it; null without a quote. */
function amountOf({ quote }: Payment): string | null {
  const send = isRecord(quote) && isRecord(quote['send']) ? quote['send'] : {};
  const symbol = isRecord(send['token']) ? send['token']['symbol'] : null;
  const { amount } = send;
  return typeof amount === 'string'
    ? [amount, symbol].filter((word) => typeof word === 'string').join(' ')
    : null;
}

/** The last column only where it is known who was not told. */
export function paymentTable(payments: readonly Payment[], untold: Untold | null = null): string {
  const heads = [
    'QUOTE ID',
    'ORDER',
    'PROVIDER',
    'STATUS',
    'AMOUNT',
    'LATE',
    'TRACKING',
    'CREATED',
    'UPDATED',
  ];
  const rows = payments.map((payment) => {
    const { quoteId, orderId, provider, status, late, tracking, createdAt, updatedAt } = payment;
    const facts = [quoteId, orderId, provider, status, amountOf(payment)];
    const columns = [...facts, late, tracking, createdAt, updatedAt];
    return untold === null ? columns : [...columns, untold.get(quoteId)];
  });
  return tableOf(untold === null ? heads : [...heads, 'NOT TOLD'], rows);
}
