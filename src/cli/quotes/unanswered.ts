import { isRecord } from '../../domain/payment/reading.ts';
import type { ListSort } from '../../ports/list-sort.ts';
import type { Session } from '../api/session.ts';
import { note, print } from '../output/print.ts';
import { tableOf } from '../output/table.ts';

export interface UnansweredOptions {
  readonly provider?: string[];
  readonly orderId?: string;
  readonly tracked?: 'true' | 'false';
  readonly requestedAfter?: string;
  readonly requestedBefore?: string;
  readonly sort?: ListSort;
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: true;
}

const HEADS = ['REQUESTED', 'PROVIDER', 'ORDER', 'AMOUNT', 'FROM', 'TO', 'RECIPIENT', 'QUOTE ID', 'REASON'];

export async function listUnanswered({ api }: Session, options: UnansweredOptions): Promise<void> {
  const { json, tracked, ...given } = options;
  const query = { ...given, ...(tracked === undefined ? {} : { tracked: tracked === 'true' }) };
  const { text, data } = await api.call('get', '/api/unanswered-quotes', { query });
  if (json === true) return print(`${text}\n`);
  const rows = data.data.map(({ requestedAt, provider, orderId, request, quoteId, reason }) => {
    const { amount, fromChainId, toChainId, recipient } = wordsOf(request);
    return [requestedAt, provider, orderId, amount, fromChainId, toChainId, recipient, quoteId, reason];
  });
  await print(tableOf(HEADS, rows));
  if (data.nextCursor !== null) note(`There are more: --cursor ${data.nextCursor}`);
}

/** The values of the requested fields. */
function wordsOf(request: unknown): Readonly<Record<string, string | null>> {
  const fields = isRecord(request) ? Object.entries(request) : [];
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' ? String(value) : null,
    ]),
  );
}
