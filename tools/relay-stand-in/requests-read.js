// @ts-check
/** `GET /requests/v3`: filters, order, pages. */
import { answer, invalid } from './answers.js';
import { BadQuery, isListed, keysOf, testOfFilters, testOfQuery } from './request-filters.js';
import { requestObject } from './request-object.js';

/** @typedef {import('./orders.js').Order} Order */
/** @typedef {import('./order-book.js').OrderBook} OrderBook */
/** @typedef {Readonly<Record<string, string>>} Query */
/** @typedef {{ at: number, tie: number }} Rank */

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;
const MS = 1_000;
/** Parameters that neither narrow the result nor appear in a row. */
const IGNORED = new Set(['includeChildRequests', 'includeAuthenticatedData']);

export function readRequests(
  /** @type {OrderBook} */ book,
  /** @type {Query} */ query,
  /** @type {boolean} */ listsWaiting,
) {
  try {
    return answer(200, page(book, query, listsWaiting));
  } catch (error) {
    if (error instanceof BadQuery) return invalid(error.message);
    throw error;
  }
}

function page(
  /** @type {OrderBook} */ book,
  /** @type {Query} */ query,
  /** @type {boolean} */ listsWaiting,
) {
  const {
    filters,
    limit,
    continuation,
    sortBy,
    sortDirection,
    startTimestamp,
    endTimestamp,
    includeTotal,
    ...rest
  } = query;
  const fields = Object.fromEntries(Object.entries(rest).filter(([name]) => !IGNORED.has(name)));
  const most = readLimit(limit);
  const rankOf = readSort(sortBy);
  const [startAt, endAt] = [readSeconds(startTimestamp) ?? 0, readSeconds(endTimestamp) ?? Infinity];
  const keys = keysOf(fields, filters);
  const fits = [testOfQuery(fields), ...(filters === undefined ? [] : [testOfFilters(filters)])];
  // An order that changed after its creation is found by its last change.
  const among = keys === null ? book.changedSince(startAt) : named(book, keys);
  const found = [];
  for (const order of among) {
    const { at } = rankOf(order);
    if (at < startAt || at > endAt || !isListed(order, listsWaiting)) continue;
    if (fits.every((test) => test(order))) found.push(order);
  }
  const sign = readDirection(sortDirection);
  found.sort((one, other) => sign * compare(rankOf(one), rankOf(other)));
  const from = continuation === undefined ? null : readContinuation(continuation);
  const rows = found
    .filter((order) => from === null || sign * compare(rankOf(order), from) > 0)
    .slice(0, most);
  const last = rows.at(-1);
  return {
    requests: rows.map(requestObject),
    // A full page may be the last one: Relay does not look further either.
    ...(last !== undefined && rows.length === most ? { continuation: writeContinuation(rankOf(last)) } : {}),
    ...(includeTotal === 'true' ? { total: found.length } : {}),
  };
}

/** @returns {Set<Order>} */
function named(
  /** @type {OrderBook} */ book,
  /** @type {{ ids: string[], addresses: string[] }} */ { ids, addresses },
) {
  const byId = ids.map((id) => book.byId(id)).filter((order) => order !== null);
  return new Set([...byId, ...addresses.flatMap((address) => book.atAddress(address))]);
}

function readLimit(/** @type {string | undefined} */ text) {
  const limit = text === undefined ? DEFAULT_LIMIT : Number(text);
  if (!Number.isInteger(limit)) throw new BadQuery('querystring/limit must be number');
  if (limit > MAX_LIMIT) throw new BadQuery(`querystring/limit must be <= ${MAX_LIMIT}`);
  if (limit < 1) throw new BadQuery('querystring/limit must be >= 1');
  return limit;
}

/** @returns {(order: Order) => Rank} */
function readSort(/** @type {string | undefined} */ sortBy = 'createdAt') {
  if (sortBy === 'updatedAt') return ({ updatedAt, touch }) => ({ at: updatedAt, tie: touch });
  // Within a millisecond the id's random part decides the order.
  if (sortBy === 'createdAt')
    return ({ createdAt, id }) => ({ at: createdAt, tie: Number(`0x${id.slice(-12)}`) });
  throw new BadQuery('querystring/sortBy must be equal to one of the allowed values');
}

function readDirection(/** @type {string | undefined} */ direction = 'desc') {
  if (direction === 'desc') return -1;
  if (direction === 'asc') return 1;
  throw new BadQuery('querystring/sortDirection must be equal to one of the allowed values');
}

/** Seconds: milliseconds would be a time far ahead, since which nothing has changed. */
function readSeconds(/** @type {string | undefined} */ text) {
  if (text === undefined) return null;
  const seconds = Number(text);
  if (!Number.isFinite(seconds)) throw new BadQuery('querystring/startTimestamp must be number');
  return seconds * MS;
}

function compare(/** @type {Rank} */ one, /** @type {Rank} */ other) {
  return one.at - other.at || one.tie - other.tie;
}

function writeContinuation(/** @type {Rank} */ { at, tie }) {
  return Buffer.from(`${at}:${tie}`).toString('base64url');
}

/** @returns {Rank} */
function readContinuation(/** @type {string} */ text) {
  const [at = Number.NaN, tie = Number.NaN] = Buffer.from(text, 'base64url')
    .toString()
    .split(':')
    .map(Number);
  if (Number.isNaN(at) || Number.isNaN(tie)) throw new BadQuery('querystring/continuation is invalid');
  return { at, tie };
}
