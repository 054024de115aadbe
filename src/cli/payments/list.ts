import { isRecord } from '../../domain/payment/reading.ts';
import type { ApiClient, Schemas } from '../api/api-client.ts';
import type { Session } from '../api/session.ts';
import { note, print } from '../output/print.ts';
import { tableOf } from '../output/table.ts';
import { queryOf, type PaymentFilters } from './filters.ts';
import { readUntold, type Untold } from './told.ts';

export interface ListOptions extends PaymentFilters {
  readonly limit: number;
  readonly all?: true;
  readonly cursor?: string;
  readonly json?: true;
}

type Payment = Schemas['PaymentAnswer'];
type Page = Schemas['PaymentsAnswer'];

/** The largest page of the API. */
const PAGE = 100;

export async function listPayments({ api }: Session, options: ListOptions): Promise<void> {
  const payments: Payment[] = [];
  let next: string | null = null;
  for await (const { text, data } of pagesOf(api, options)) {
    if (options.json === true) await print(`${text}\n`);
    payments.push(...data.data);
    next = data.nextCursor;
  }
  if (options.json === true) return;
  const quoteIds = payments.map(({ quoteId }) => quoteId);
  await print(paymentTable(payments, quoteIds.length === 0 ? null : await readUntold(api, quoteIds)));
  if (next !== null) note(`${payments.length} of ${await totalOf(api, options)}: --all, or --cursor ${next}`);
  else if (options.undelivered === true) note(`${payments.length} in all.`);
}

async function* pagesOf(
  api: ApiClient,
  { limit, all, cursor, ...filters }: ListOptions,
): AsyncGenerator<{ text: string; data: Page }> {
  let left = all === true ? Infinity : limit;
  for (let next: string | null = cursor ?? ''; next !== null && left > 0;) {
    const place = next === '' ? {} : { cursor: next };
    const query = { ...queryOf(filters), limit: Math.min(left, PAGE), ...place };
    const page: { text: string; data: Page } = await api.call('get', '/api/payments', { query });
    yield page;
    left -= page.data.data.length;
    next = page.data.nextCursor;
  }
}

/** `60`, or `10000 or more`. */
async function totalOf(api: ApiClient, filters: PaymentFilters): Promise<string> {
  const { sort: _, ...query } = queryOf(filters);
  const { data } = await api.call('get', '/api/payment-count', { query });
  return `${data.count}${data.isMore ? ' or more' : ''}`;
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

/** Has the last column only if the caller knows which destinations were not told. */
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
