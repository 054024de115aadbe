import { isFound, readSearch, type Search } from '../../domain/payment/search.ts';
import type { PaymentFilter, StoredPayment } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';
import { readPaymentCursor, writePaymentCursor, type PaymentPosition } from '../connection/cursor.ts';
import { withinBytes } from '../connection/page-bytes.ts';
import { SELECT_STORED, storedOf, type StoredRow } from './stored-payment.ts';

interface ListedRow extends StoredRow {
  readonly created_us: string;
  readonly is_cut: boolean;
}

interface FoundRow {
  readonly exact_ids: readonly string[];
  readonly found_ids: readonly string[] | null;
}

/** What a search may have found; `ids` is null when that is very much. */
interface Candidates {
  readonly ids: readonly string[] | null;
  isMatch(row: ListedRow): boolean;
}

interface PageRead {
  readonly rows: readonly ListedRow[];
  readonly listed: readonly ListedRow[];
  readonly hasMore: boolean;
}

type Selected = Omit<PaymentFilter, 'limit' | 'cursor' | 'search'> & {
  readonly ids: readonly string[] | null;
};

interface Selection {
  readonly conditions: string[];
  readonly parameters: unknown[];
}

const POSITION = 'p.created_at, p.id';
const NEWEST_FIRST = 'created_at DESC, id DESC';

/** Of a search that finds more, the newest payments are read and judged, so many for a page. */
const MAX_FOUND = 2_000;
const JUDGED = 500;

/** Ordered by creation: a window of time is found by the index on it, however many payments are newer. */
export async function listPayments(
  queries: Queries,
  filter: PaymentFilter,
): Promise<{ payments: StoredPayment[]; nextCursor: string | null }> {
  const after = filter.cursor === undefined ? null : await positionOf(queries, filter.cursor);
  if (after === 'end') return { payments: [], nextCursor: null };
  const found = await findCandidates(queries, filter.search);
  const { rows, listed, hasMore } = await readPage(queries, filter, after, found);
  const page = listed.slice(0, filter.limit);
  const last = listed.length > filter.limit ? page.at(-1) : hasMore ? rows.at(-1) : undefined;
  return {
    payments: page.map(storedOf),
    nextCursor: last === undefined ? null : cursorAfter(last),
  };
}

/** Of a search that found very much, what nearly all payments have fills the page at once; otherwise more of them are judged. */
async function readPage(
  queries: Queries,
  filter: PaymentFilter,
  after: PaymentPosition | null,
  found: Candidates | null,
): Promise<PageRead> {
  const ids = found?.ids ?? null;
  const read = async (from: PaymentPosition | null, count: number): Promise<PageRead> => {
    const rows = await readRows(queries, { ...filter, ids }, from, count);
    const listed = found === null ? rows : rows.filter((row) => found.isMatch(row));
    return { rows, listed, hasMore: rows.length === count || rows[0]?.is_cut === true };
  };
  const first = await read(after, filter.limit + 1);
  const last = first.rows.at(-1);
  const isEnough = !first.hasMore || first.listed.length > filter.limit;
  if (found?.ids !== null || last === undefined || isEnough) return first;
  const second = await read({ createdUs: last.created_us, id: last.id }, JUDGED - first.rows.length);
  return {
    rows: [...first.rows, ...second.rows],
    listed: [...first.listed, ...second.listed],
    hasMore: second.hasMore,
  };
}

/** Null without a search. */
async function findCandidates(queries: Queries, text: string | undefined): Promise<Candidates | null> {
  if (text === undefined) return null;
  const search = readSearch(text);
  const { term, isWholeTerm } = search;
  const [row] = await queries.query<FoundRow>(FIND_CANDIDATES, [search.text, term, isWholeTerm, MAX_FOUND]);
  const exact = new Set(row?.exact_ids);
  return { ids: row?.found_ids ?? null, isMatch: (each) => exact.has(each.id) || isIn(each, search) };
}

/** The index has only the beginning of each value. */
function isIn(row: ListedRow, search: Search): boolean {
  const { quote_id: quoteId, order_id: orderId, quote_text: quoteText, report_text: reportText } = row;
  return isFound(search, { quoteId, orderId, quoteText, reportText });
}

function readRows(
  queries: Queries,
  filter: Selected,
  after: PaymentPosition | null,
  count: number,
): Promise<ListedRow[]> {
  const { sql, parameters } = listQuery(filter, after, count);
  return queries.query<ListedRow>(
    `${withinBytes(sql, STORED_BYTES, NEWEST_FIRST)} ORDER BY ${NEWEST_FIRST}`,
    parameters,
  );
}

/**
 * Several statuses are read one by one, each from the index on status and creation, and an order from that on order and creation:
 * the planner would walk through all payments in the hope to meet those of a frequent order. The array keeps the joins on keys.
 */
function listQuery(
  { statuses = [], ...filter }: Selected,
  after: PaymentPosition | null,
  count: number,
): { sql: string; parameters: unknown[] } {
  const isByOrder = filter.orderId !== undefined && filter.ids === null && statuses.length === 0;
  const { conditions, parameters } = conditionsOf(filter, after, isByOrder);
  const newest = `ORDER BY ${NEWEST_FIRST} LIMIT ${count}`;
  const oneByOne = statuses.map((status) => [...conditions, `p.status = $${parameters.push(status)}`]);
  // The planner would walk through all payments in the hope to meet those that a search found.
  const source =
    filter.ids === null
      ? 'payment'
      : `(SELECT * FROM payment WHERE id = ANY ($${parameters.push(filter.ids)}::bigint[]) OFFSET 0)`;
  const pages = (statuses.length === 0 ? [conditions] : oneByOne).map(
    (all) =>
      `(SELECT p.id, p.created_at FROM ${source} p WHERE ${all.join(' AND ')}
        ORDER BY ${isByOrder ? 'order_id DESC,' : ''} ${NEWEST_FIRST} LIMIT ${count})`,
  );
  const page = `SELECT id FROM (${pages.join(' UNION ALL ')}) pages ${newest}`;
  return { sql: `${SELECT_LISTED} WHERE p.id = ANY (ARRAY(${page}))`, parameters };
}

/** Rows are compared as wholes: by an equality, the planner would leave the order out of what it sorts by. */
function conditionsOf(
  { orderId, createdAfter, createdBefore }: Omit<Selected, 'statuses' | 'ids'>,
  after: PaymentPosition | null,
  isByOrder: boolean,
): Selection {
  const conditions = ['true'];
  const parameters: unknown[] = [];
  const value = (given: unknown): string => `$${parameters.push(given)}`;
  const order = orderId === undefined ? '' : value(orderId);
  const [columns, first] = isByOrder ? ['p.order_id, p.created_at, p.id', `${order}, `] : [POSITION, ''];
  const compare = (sign: string, time: string, id: string): number =>
    conditions.push(`(${columns}) ${sign} (${first}${time}, ${id})`);
  if (isByOrder) {
    conditions.push('p.order_id IS NOT NULL');
    compare('>=', `'-infinity'`, '0');
    compare('<', `'infinity'`, '0');
  } else if (orderId !== undefined) conditions.push(`p.order_id = ${order}`);
  if (createdAfter !== undefined) compare('>=', `${value(createdAfter)}::timestamptz`, '0');
  if (createdBefore !== undefined) compare('<', `${value(createdBefore)}::timestamptz`, '0');
  if (after !== null)
    compare(
      '<',
      `timestamptz 'epoch' + ${value(after.createdUs)}::bigint * interval '1 microsecond'`,
      `${value(after.id)}::bigint`,
    );
  return { conditions, parameters };
}

/** A cursor of release 0.1.0 has no time: it is that of the payment, or, after its removal, of the one before it. */
async function positionOf(queries: Queries, cursor: string): Promise<PaymentPosition | 'end'> {
  const position = readPaymentCursor(cursor);
  if (position.createdUs !== null) return position;
  const [row] = await queries.query<{ created_us: string }>(FIND_POSITION, [position.id]);
  return row === undefined ? 'end' : { createdUs: row.created_us, id: position.id };
}

function cursorAfter({ created_us: createdUs, id }: ListedRow): string {
  return writePaymentCursor({ createdUs, id });
}

const CREATED_US = `(extract(epoch FROM p.created_at) * 1000000)::bigint AS created_us`;

const SELECT_LISTED = SELECT_STORED.replace('SELECT', `SELECT ${CREATED_US},`);

const FIND_POSITION = `SELECT ${CREATED_US} FROM payment p WHERE p.id <= $1 ORDER BY p.id DESC LIMIT 1`;

const FIND_CANDIDATES = `
  SELECT exact_ids::text[], found_ids::text[] FROM search_payments($1, $2, $3, $4)`;

/** With some room for names, ids and times. */
const STORED_BYTES = `1024 + coalesce(octet_length(metadata), 0) + coalesce(octet_length(quote_text), 0)
  + coalesce(octet_length(report_text), 0)`;
