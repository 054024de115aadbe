import type { PaymentEvents, StoredPayment } from '../../ports/payments.ts';
import { readCursor, writeCursor } from '../connection/cursor.ts';
import type { Queries } from '../../ports/queries.ts';
import { withinBytes } from '../connection/page-bytes.ts';
import { SELECT_STORED, storedOf, type StoredRow } from './stored-payment.ts';

/** Without a body and a number where there is no event. */
interface EventRow {
  readonly body: string | null;
  readonly sequence: number | null;
  readonly is_cut: boolean;
}

/** A payment, or null, for each id. */
export async function findPayments(
  queries: Queries,
  quoteIds: readonly string[],
): Promise<(StoredPayment | null)[]> {
  const rows = await queries.query<StoredRow>(`${SELECT_STORED} WHERE p.quote_id = ANY ($1::text[])`, [
    quoteIds,
  ]);
  const found = new Map(rows.map((row) => [row.quote_id, row]));
  return quoteIds.map((quoteId) => {
    const row = found.get(quoteId);
    return row === undefined ? null : storedOf(row);
  });
}

/** Whether it was removed, for each id. */
export async function whichWereRemoved(queries: Queries, quoteIds: readonly string[]): Promise<boolean[]> {
  const [row] = await queries.query<{ were_removed: boolean[] }>(WERE_REMOVED, [quoteIds]);
  return row?.were_removed ?? [];
}

export async function readEvents(
  queries: Queries,
  quoteId: string,
  cursor: string | null,
): Promise<PaymentEvents | null> {
  const after = cursor === null ? '0' : readCursor('e', cursor);
  const rows = await queries.query<EventRow>(READ_EVENTS, [quoteId, after]);
  if (rows.length === 0) return null;
  const last = rows[0]?.is_cut === true ? rows.at(-1) : undefined;
  return {
    events: rows.flatMap(({ body }) => (body === null ? [] : [body])),
    nextCursor: last === undefined ? null : writeCursor('e', String(last.sequence)),
  };
}

const READ_EVENTS = `${withinBytes(
  `SELECT e.body, e.sequence FROM payment p
   LEFT JOIN event e ON e.payment_id = p.id AND e.sequence > $2::bigint WHERE p.quote_id = $1`,
  'octet_length(body)',
  'sequence',
)} ORDER BY sequence`;

const WERE_REMOVED = `
  SELECT ARRAY(
    SELECT was_removed(quote_id) FROM unnest($1::text[]) WITH ORDINALITY AS i (quote_id, n) ORDER BY n) AS were_removed`;
