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

type Selected = Omit<PaymentFilter, 'limit' | 'cursor' | 'search'> & {
  readonly ids: readonly string[] | null;
};

interface Selection {
  readonly conditions: string[];
  readonly parameters: unknown[];
}

const NEWEST_FIRST = 'created_at DESC, id DESC';

/** Of a search that finds more, the newest payments are read and judged, so many for a page. */
const MAX_FOUND = 2_000;
const JUDGED = 1_000;

/** Ordered by creation: a window of time is found by the index on it, however many payments are newer. */
export async function listPayments(
  queries: Queries,
  filter: PaymentFilter,
): Promise<{ payments: StoredPayment[]; nextCursor: string | null }> {
  const after = filter.cursor === undefined ? null : await positionOf(queries, filter.cursor);
  if (after === 'end') return { payments: [], nextCursor: null };
  const found = await findCandidates(queries, filter.search);
  const count = found?.ids === null ? JUDGED : filter.limit + 1;
  const rows = await readRows(queries, { ...filter, ids: found?.ids ?? null }, after, count);
  const listed = found === null ? rows : rows.filter((row) => found.isMatch(row));
  const page = listed.slice(0, filter.limit);
  const hasMore = rows.length === count || rows[0]?.is_cut === true;
  const last = listed.length > filter.limit ? page.at(-1) : hasMore ? rows.at(-1) : undefined;
  return {
    payments: page.map(storedOf),
    nextCursor: last === undefined ? null : cursorAfter(last),
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

/** Several statuses are read one by one, each from the index on status and creation. The array keeps the joins on keys. */
function listQuery(
  { statuses = [], ...filter }: Selected,
  after: PaymentPosition | null,
  count: number,
): { sql: string; parameters: unknown[] } {
  const { conditions, parameters } = conditionsOf(filter, after);
  const newest = `ORDER BY ${NEWEST_FIRST} LIMIT ${count}`;
  const oneByOne = statuses.map((status) => [...conditions, `p.status = $${parameters.push(status)}`]);
  const pages = (statuses.length === 0 ? [conditions] : oneByOne).map(
    (all) => `(SELECT p.id, p.created_at FROM payment p WHERE ${all.join(' AND ')} ${newest})`,
  );
  const page = `SELECT id FROM (${pages.join(' UNION ALL ')}) pages ${newest}`;
  return { sql: `${SELECT_LISTED} WHERE p.id = ANY (ARRAY(${page}))`, parameters };
}

function conditionsOf(filter: Omit<Selected, 'statuses'>, after: PaymentPosition | null): Selection {
  const conditions = ['true'];
  const parameters: unknown[] = [];
  const add = (condition: string, value: unknown): void => {
    if (value !== undefined) conditions.push(`${condition} $${parameters.push(value)}`);
  };
  if (filter.ids !== null) conditions.push(`p.id = ANY ($${parameters.push(filter.ids)}::bigint[])`);
  add('p.order_id =', filter.orderId);
  add('p.created_at >=', filter.createdAfter);
  add('p.created_at <', filter.createdBefore);
  if (after !== null) {
    const [us, id] = [parameters.push(after.createdUs), parameters.push(after.id)];
    const createdAt = `timestamptz 'epoch' + $${us}::bigint * interval '1 microsecond'`;
    conditions.push(`(p.created_at, p.id) < (${createdAt}, $${id}::bigint)`);
  }
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
