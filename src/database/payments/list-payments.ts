import type { PaymentFilter, StoredPayment } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';
import { readPaymentCursor, writePaymentCursor, type PaymentPosition } from '../connection/cursor.ts';
import { findCandidates, type Candidates, type FilterScope } from './list-candidates.ts';
import { listStatement, type ListedRow } from './list-statement.ts';
import { storedOf } from './stored-payment.ts';

interface PageRead {
  readonly rows: readonly ListedRow[];
  readonly listed: readonly ListedRow[];
  readonly hasMore: boolean;
}

/** How many payments are read and tested at a time for a page with very many candidates. */
const JUDGED = 500;

/** Orders by creation: the index on it finds a window of time, however many payments are newer. */
export async function listPayments(
  queries: Queries,
  filter: PaymentFilter,
  scope: FilterScope,
): Promise<{ payments: StoredPayment[]; nextCursor: string | null }> {
  const after = filter.cursor === undefined ? null : readPaymentCursor(filter.cursor);
  const found = await findCandidates(queries, filter, scope);
  const { rows, listed, hasMore } = await readPage(queries, filter, after, found);
  const page = listed.slice(0, filter.limit);
  const last = listed.length > filter.limit ? page.at(-1) : hasMore ? rows.at(-1) : undefined;
  return {
    payments: page.map(storedOf),
    nextCursor: last === undefined ? null : cursorAfter(last),
  };
}

/**
 * Of very many candidates, a filter that most payments pass fills the page at once; for any other filter, further candidates
 * are read and tested.
 */
async function readPage(
  queries: Queries,
  filter: PaymentFilter,
  after: PaymentPosition | null,
  found: Candidates | null,
): Promise<PageRead> {
  const selected = { ...filter, ids: found?.ids ?? null };
  const read = async (from: PaymentPosition | null, count: number): Promise<PageRead> => {
    const { sql, parameters } = listStatement(selected, from, count);
    const rows = await queries.query<ListedRow>(sql, parameters);
    const listed = found === null ? rows : rows.filter((row) => found.isMatch(row));
    return { rows, listed, hasMore: rows.length === count || rows[0]?.is_cut === true };
  };
  const first = await read(after, filter.limit + 1);
  const last = first.rows.at(-1);
  const isEnough = !first.hasMore || first.listed.length > filter.limit || first.rows.length >= JUDGED;
  if (found?.ids !== null || last === undefined || isEnough) return first;
  const second = await read({ createdUs: last.created_us, id: last.id }, JUDGED - first.rows.length);
  return {
    rows: [...first.rows, ...second.rows],
    listed: [...first.listed, ...second.listed],
    hasMore: second.hasMore,
  };
}

function cursorAfter({ created_us: createdUs, id }: ListedRow): string {
  return writePaymentCursor({ createdUs, id });
}
