import type { PaymentEvents, PaymentFilter, StoredPayment } from '../../ports/payments.ts';
import { readCursor, writeCursor } from '../connection/cursor.ts';
import type { Queries } from '../../ports/queries.ts';
import { withinBytes } from '../connection/page-bytes.ts';
import { metadataOf, type PaymentRow } from './payment-row.ts';

type SharedColumn =
  | 'id'
  | 'quote_id'
  | 'order_id'
  | 'metadata'
  | 'status'
  | 'late'
  | 'sequence'
  | 'tracking'
  | 'created_at'
  | 'expires_at';

interface StoredRow extends Pick<PaymentRow, SharedColumn> {
  readonly updated_at: Date;
  readonly last_polled_at: Date | null;
  readonly next_poll_at: Date | null;
  readonly quote_text: string | null;
  readonly report_text: string | null;
  readonly reported_at: Date | null;
}

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

export async function listPayments(
  queries: Queries,
  filter: PaymentFilter,
): Promise<{ payments: StoredPayment[]; nextCursor: string | null }> {
  const { sql, parameters } = listQuery(filter);
  const rows = await queries.query<StoredRow & { readonly is_cut: boolean }>(
    `${withinBytes(sql, STORED_BYTES, 'id DESC')} ORDER BY id DESC`,
    parameters,
  );
  const page = rows.slice(0, filter.limit);
  const hasMore = rows.length > filter.limit || rows[0]?.is_cut === true;
  const last = hasMore ? page.at(-1) : undefined;
  return {
    payments: page.map(storedOf),
    nextCursor: last === undefined ? null : writeCursor('p', last.id),
  };
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

/**
 * One row more than asked for, where there is one. Several statuses are read one by one, each newest first from the index
 * on status and id: a single scan for all of them would read or sort all rows in between.
 */
export function listQuery(filter: PaymentFilter): { sql: string; parameters: unknown[] } {
  const { conditions, parameters } = conditionsOf(filter);
  const newest = `ORDER BY p.id DESC LIMIT ${filter.limit + 1}`;
  const { statuses = [] } = filter;
  if (statuses.length <= 1) {
    if (statuses.length === 1) conditions.push(`p.status = $${parameters.push(statuses[0])}`);
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    return { sql: `${SELECT_STORED} ${where} ${newest}`, parameters };
  }
  const pages = statuses.map((status) => {
    const all = [`p.status = $${parameters.push(status)}`, ...conditions];
    return `(SELECT p.id FROM payment p WHERE ${all.join(' AND ')} ${newest})`;
  });
  const page = `SELECT p.id FROM (${pages.join(' UNION ALL ')}) p ${newest}`;
  return { sql: `${SELECT_STORED} WHERE p.id = ANY (ARRAY(${page})) ORDER BY p.id DESC`, parameters };
}

function conditionsOf(filter: PaymentFilter): { conditions: string[]; parameters: unknown[] } {
  const conditions: string[] = [];
  const parameters: unknown[] = [];
  const add = (condition: string, value: unknown): void => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(`${condition} $${parameters.length}`);
  };
  add('p.order_id =', filter.orderId);
  add('p.created_at >=', filter.createdAfter);
  add('p.created_at <', filter.createdBefore);
  add('p.id <', filter.cursor === undefined ? undefined : readCursor('p', filter.cursor));
  return { conditions, parameters };
}

function storedOf(row: StoredRow): StoredPayment {
  return {
    quoteId: row.quote_id,
    orderId: row.order_id,
    metadata: metadataOf(row.metadata),
    status: row.status,
    late: row.late,
    sequence: row.sequence,
    tracking: row.tracking,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    updatedAt: row.updated_at,
    lastPolledAt: row.last_polled_at,
    nextPollAt: row.next_poll_at,
    quoteText: row.quote_text,
    reportText: row.report_text,
    reportedAt: row.reported_at,
  };
}

/** While the provider answers, the stored report is as young as the last poll; in its silence, as the one before. */
const SELECT_STORED = `
  SELECT p.id, p.quote_id, p.order_id, p.metadata, p.status, p.late, p.sequence, p.tracking, p.created_at,
    p.expires_at, p.updated_at, coalesce(s.polled_at, p.last_polled_at) AS last_polled_at,
    CASE WHEN p.tracking <> 'closed' THEN s.due_at END AS next_poll_at,
    q.body AS quote_text, r.body AS report_text,
    greatest(r.reported_at, CASE WHEN r.body IS NULL THEN NULL
      WHEN s.payment_id IS NULL THEN p.last_polled_at
      WHEN s.silent_since IS NULL THEN s.polled_at
      ELSE s.answered_at END) AS reported_at
  FROM payment p
  LEFT JOIN payment_schedule s ON s.payment_id = p.id
  LEFT JOIN payment_quote q ON q.payment_id = p.id
  LEFT JOIN payment_report r ON r.payment_id = p.id`;

/** With some room for names, ids and times. */
const STORED_BYTES = `1024 + coalesce(octet_length(metadata), 0) + coalesce(octet_length(quote_text), 0)
  + coalesce(octet_length(report_text), 0)`;

const READ_EVENTS = `${withinBytes(
  `SELECT e.body, e.sequence FROM payment p
   LEFT JOIN event e ON e.payment_id = p.id AND e.sequence > $2::bigint WHERE p.quote_id = $1`,
  'octet_length(body)',
  'sequence',
)} ORDER BY sequence`;
