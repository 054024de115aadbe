import { hasToken, isOnChain, mayMention, readRoute, type Route } from '../../domain/payment/route.ts';
import { foldCase, isFound, isIndexed, readSearch } from '../../domain/payment/search.ts';
import type { ListedNeed } from '../../domain/attention/payment-troubles.ts';
import type { PaymentConditions } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';
import type { QuoteTable } from '../../ports/quote-tables.ts';
import { LIST_AWAITING_PROOF } from '../attention/awaiting-proof.ts';
import { listNeedy } from '../attention/payment-needs.ts';
import { newestUntold } from '../attention/untold.ts';
import type { RecordSettings } from '../events/record-settings.ts';
import type { ListedRow } from './list-statement.ts';

/** The payments that may pass filters which are tested row by row; `ids` is null when they are very many. */
export interface Candidates {
  readonly ids: readonly string[] | null;
  isMatch(row: ListedRow): boolean;
}

interface FoundRow {
  readonly exact_ids: readonly string[];
  readonly found_ids: readonly string[] | null;
}

/** If a filter finds more, the newest payments are read and tested instead. */
const MAX_FOUND = 2_000;

/** The providers' tables and the rules of recording, on which filters depend. */
export interface FilterScope {
  readonly tables: readonly QuoteTable[];
  readonly rules: RecordSettings;
}

/**
 * The candidates of the filters that have an index; null without such a filter. With several filters, a payment must pass
 * each.
 */
export async function findCandidates(
  queries: Queries,
  filter: PaymentConditions,
  { tables, rules }: FilterScope,
): Promise<Candidates | null> {
  const { search, chain, token, undelivered, attention, awaitingProof } = filter;
  const found: Candidates[] = [];
  if (search !== undefined) found.push(await bySearch(queries, search, tables));
  if (chain !== undefined) found.push(byChain(chain));
  if (token !== undefined) found.push(await byToken(queries, token, tables));
  if (undelivered !== undefined) found.push(await byDelivery(queries, undelivered));
  if (attention !== undefined) found.push(byIds(await findNeedy(queries, attention, rules)));
  if (awaitingProof !== undefined) found.push(byIds(await findAwaitingProof(queries, awaitingProof)));
  if (found.length === 0) return null;
  const lists = found.flatMap(({ ids }) => (ids === null ? [] : [ids]));
  return {
    ids: lists.length === 0 ? null : inAll(lists),
    isMatch: (row) => found.every((each) => each.isMatch(row)),
  };
}

/** The index has only the beginning of each value. */
async function bySearch(queries: Queries, text: string, tables: readonly QuoteTable[]): Promise<Candidates> {
  const search = readSearch(text);
  const { exact_ids: exactIds = [], found_ids: ids = null } = await searchPayments(queries, text, tables);
  const exact = new Set(exactIds);
  return { ids, isMatch: (row) => exact.has(row.id) || isFound(search, searchedOf(row)) };
}

/** Nearly every chain has very many payments, so that candidates are not looked up. */
function byChain(chain: string): Candidates {
  return { ids: null, isMatch: (row) => isOnRoute(row, chain, isOnChain) };
}

/** The search finds an address, which is a value of the quote or the report; a symbol is too short for its index. */
async function byToken(queries: Queries, token: string, tables: readonly QuoteTable[]): Promise<Candidates> {
  const found: Partial<FoundRow> = isIndexed(token) ? await searchPayments(queries, token, tables) : {};
  return { ids: found.found_ids ?? null, isMatch: (row) => isOnRoute(row, token, hasToken) };
}

async function byDelivery(queries: Queries, isWanted: boolean): Promise<Candidates> {
  const isMatch = (row: ListedRow): boolean => row.is_undelivered === isWanted;
  if (!isWanted) return { ids: null, isMatch };
  const ids = await findUntold(queries, MAX_FOUND + 1);
  return { ids: ids === null || ids.length > MAX_FOUND ? null : ids, isMatch };
}

function byIds(ids: readonly string[]): Candidates {
  const found = new Set(ids);
  return { ids, isMatch: (row) => found.has(row.id) };
}

async function findAwaitingProof(queries: Queries, chainIds: readonly number[]): Promise<readonly string[]> {
  const rows = await queries.query<{ id: string }>(LIST_AWAITING_PROOF, [chainIds.map(String)]);
  return rows.map(({ id }) => id);
}

/** Finds the payments of a card of Attention. */
export async function findNeedy(
  queries: Queries,
  need: ListedNeed,
  rules: RecordSettings,
): Promise<readonly string[]> {
  const rows = await queries.query<{ id: string }>(listNeedy(need, rules));
  return rows.map(({ id }) => id);
}

/** Finds the newest payments with untold events, up to `most` at each destination; null while the index is being built. */
export async function findUntold(queries: Queries, most: number): Promise<readonly string[] | null> {
  // The last row, a null, shows that the index exists.
  const rows = await queries.query<{ id: string | null }>(newestUntold(most));
  return rows.length === 0 ? null : rows.flatMap(({ id }) => id ?? []);
}

async function searchPayments(
  queries: Queries,
  text: string,
  tables: readonly QuoteTable[],
): Promise<Partial<FoundRow>> {
  const { text: trimmed, term, isWholeTerm, amount } = readSearch(text);
  const asked = [trimmed, foldCase(trimmed), term, isWholeTerm, amount, MAX_FOUND];
  const [row] = await queries.query<FoundRow>(searchIn(tables), asked);
  return row ?? {};
}

function inAll([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  const sets = others.map((ids) => new Set(ids));
  return first.filter((id) => sets.every((set) => set.has(id)));
}

function searchedOf({ quote_id: quoteId, order_id: orderId, ...row }: ListedRow) {
  return { quoteId, orderId, quoteText: row.quote_text, reportText: row.report_text };
}

function isOnRoute(
  { quote_text: quoteText, report_text: reportText }: ListedRow,
  word: string,
  isWanted: (route: Route, word: string) => boolean,
): boolean {
  const texts = { quoteText, reportText };
  return mayMention(texts, word) && isWanted(readRoute(texts), word);
}

/** Lower-cased as in search_payments, and compared in the default collation, which the tables' indexes have. */
function searchIn(tables: readonly QuoteTable[]): string {
  const found = tables.flatMap(({ name, searchedBy }) =>
    searchedBy === null
      ? []
      : [`SELECT quote_id FROM ${name} WHERE ${searchedBy} = lower($1 COLLATE "C") COLLATE "default"`],
  );
  const quoteIds = found.length === 0 ? `'{}'` : `ARRAY(${found.join(' UNION ALL ')})`;
  return `SELECT exact_ids::text[], found_ids::text[] FROM search_payments($1, $2, $3, $4, $5, $6, ${quoteIds})`;
}
