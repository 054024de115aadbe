import { PAYING } from '../../domain/payment/order.ts';
import type { NotStored, PaymentEvents, StoredPayment } from '../../ports/payments.ts';
import { readCursor, writeCursor } from '../connection/cursor.ts';
import type { Queries } from '../../ports/queries.ts';
import { withinBytes } from '../connection/page-bytes.ts';
import { HAVE_PAYMENTS } from '../attention/paid-twice.ts';
import { SELECT_STORED, storedOf, type StoredRow } from './stored-payment.ts';

/** The id is null where no payment is stored. */
type ReadRow =
  | (StoredRow & { readonly was_removed: null })
  | { readonly id: null; readonly was_removed: boolean };

/** Body and sequence are null where there is no event. */
interface EventRow {
  readonly body: string | null;
  readonly sequence: number | null;
  readonly is_cut: boolean;
}

/** Reads for each id the payment, or the reason why there is none. */
export async function readPayments(
  queries: Queries,
  quoteIds: readonly string[],
): Promise<(StoredPayment | NotStored)[]> {
  const rows = await queries.query<ReadRow>(READ_PAYMENTS, [quoteIds]);
  return rows.map((row) => {
    if (row.id !== null) return storedOf(row);
    return row.was_removed ? 'removed' : 'unknown';
  });
}

/** Whether each of these orders has a payment that completed or is under way. */
export async function readHavePayments(queries: Queries, orderIds: readonly string[]): Promise<boolean[]> {
  const rows = await queries.query<{ has_payment: boolean }>(HAVE_PAYMENTS, [orderIds, PAYING]);
  return rows.map((row) => row.has_payment);
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

/** Reads payments and removed ids in one snapshot: a payment that is being removed is never reported as unknown. */
const READ_PAYMENTS = `
  SELECT CASE WHEN stored.id IS NULL THEN was_removed(asked.quote_id) END AS was_removed, stored.*
  FROM unnest($1::text[]) WITH ORDINALITY AS asked (quote_id, n)
  LEFT JOIN LATERAL (${SELECT_STORED} WHERE p.quote_id = asked.quote_id) stored ON true
  ORDER BY asked.n`;
