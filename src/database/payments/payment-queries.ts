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

export async function findPayment(queries: Queries, quoteId: string): Promise<StoredPayment | null> {
  const [row] = await queries.query<StoredRow>(`${SELECT_STORED} WHERE p.quote_id = $1`, [quoteId]);
  return row === undefined ? null : storedOf(row);
}

export async function wasRemoved(queries: Queries, quoteId: string): Promise<boolean> {
  const [row] = await queries.query<{ is_removed: boolean }>(`SELECT was_removed($1) AS is_removed`, [
    quoteId,
  ]);
  return row?.is_removed === true;
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
