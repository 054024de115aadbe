import { isPrintable } from '../text/printable.ts';

/**
 * The texts that `search` finds in a payment: its quote id; the beginning of its order id, in any case; and the beginnings of
 * values in its quote and report that look like an id, an address or a transaction. The database function `search_terms` has
 * the same rule.
 */

export interface Search {
  readonly text: string;
  /**
   * True for UUIDs, EVM addresses and hashes, whose letter case is ignored; it counts in base58, as Bitcoin and Solana use
   * it.
   */
  readonly isHex: boolean;
  /** The term to look up in the index; null when only whole ids can match. */
  readonly term: string | null;
  /** False: the term is the beginning of an indexed one. */
  readonly isWholeTerm: boolean;
}

interface Searched {
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly quoteText: string | null;
  readonly reportText: string | null;
}

export const MAX_SEARCH = 200;
const HEX = /^(?:0x)?[\da-f-]+$/i;
/** How much of each value the index stores: 48 bits of a hash. */
const TERM_LENGTH = 12;
/** Shorter beginnings would find too many payments. */
const SHORTEST_HEX = 6;
const SHORTEST = 8;
const VALUE = /^(?=\D*\d)(?!\d+$)[\w-]{10,130}$/;

export function isSearch(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_SEARCH && isPrintable(value);
}

export function readSearch(given: string): Search {
  const text = given.trim();
  const isHex = HEX.test(text);
  const bare = bareOf(text).toLowerCase();
  const isTerm = /^[\da-z_-]+$/.test(bare) && bare.length >= (isHex ? SHORTEST_HEX : SHORTEST);
  const isWholeTerm = bare.length >= TERM_LENGTH;
  return { text, isHex, term: isTerm ? bare.slice(0, TERM_LENGTH) : null, isWholeTerm };
}

/** True for a value that the index contains: if the index does not find it, it is nowhere. */
export function isIndexed(value: string): boolean {
  return VALUE.test(value) && readSearch(value).isWholeTerm;
}

export function isFound(search: Search, { quoteId, orderId, quoteText, reportText }: Searched): boolean {
  const { text, isHex, term } = search;
  if (quoteId === text || (isHex && quoteId.toLowerCase() === text.toLowerCase())) return true;
  if (orderId !== null && lowerAscii(orderId).startsWith(lowerAscii(text))) return true;
  if (term === null) return false;
  const wanted = folded(text, isHex);
  return [quoteText, reportText].some((json) => json !== null && hasValue(json, wanted, isHex));
}

/** As `lower` of the database with the collation "C": letters outside ASCII stay as they are. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A quick test on the text first: most texts do not contain the value, and are not parsed. */
function hasValue(json: string, wanted: string, isHex: boolean): boolean {
  const all = isHex ? json.toLowerCase() : json;
  return all.includes(wanted) && valuesIn(json).some((value) => folded(value, isHex).startsWith(wanted));
}

/** The terms of a quote or report for the index. */
export function termsIn(json: string): string[] {
  const terms = valuesIn(json).map((value) => bareOf(value).toLowerCase().slice(0, TERM_LENGTH));
  return [...new Set(terms)].filter((term) => term !== '').sort();
}

/** The text between any two quotation marks. Names of fields come too, but have no digits, or do no harm. */
function valuesIn(json: string): string[] {
  return json.split('"').filter((value) => VALUE.test(value));
}

function folded(value: string, isHex: boolean): string {
  return isHex ? bareOf(value).toLowerCase() : bareOf(value);
}

function bareOf(value: string): string {
  return value.replace(/^0x/i, '');
}
