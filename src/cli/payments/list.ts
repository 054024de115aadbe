import type { Schemas } from '../api/api-client.ts';
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

export async function listPayments({ api }: Session, options: ListOptions): Promise<void> {
  const { limit, cursor } = options;
  const query = { ...queryOf(options), limit, ...(cursor === undefined ? {} : { cursor }) };
  const { text, data } = await api.call('get', '/api/payments', { query });
  if (options.json === true) return print(`${text}\n`);
  await print(paymentTable(data.data));
  if (data.nextCursor !== null) note(`There are more: --cursor ${data.nextCursor}`);
}

export function paymentTable(payments: readonly Payment[]): string {
  const heads = ['QUOTE ID', 'ORDER', 'STATUS', 'LATE', 'TRACKING', 'CREATED', 'UPDATED'];
  return tableOf(
    heads,
    payments.map(({ quoteId, orderId, status, late, tracking, createdAt, updatedAt }) => [
      quoteId,
      orderId,
      status,
      late,
      tracking,
      createdAt,
      updatedAt,
    ]),
  );
}
