import { isPrintable } from '../text/printable.ts';

/**
 * The texts that `search` finds in a payment: its quote id; the beginning of its order id, in any case of any script; the
 * beginnings of values in its quote and report that look like an id, an address or a transaction; and the amounts in them. The
 * database function `search_terms` has the same rule for values and amounts.
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
  /** False: the term is only the beginning of an indexed one. */
  readonly isWholeTerm: boolean;
  /** The amount that the text is, as `amountTerm` writes it; null for another text. */
  readonly amount: string | null;
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
/** Wallets write addresses of Bitcoin Cash with it and without it. */
const CASH = /^bitcoincash:/i;
/** A digit string, never a number: an amount of 18 digits after the point is found by its last digit. */
const AMOUNT = /^\d{1,40}(?:\.\d{1,40})?$/;
/** An amount as the pages write it. */
const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const AMOUNT_FIELDS: ReadonlySet<string> = new Set(['amount', 'estimatedamount']);

export function isSearch(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_SEARCH && isPrintable(value);
}

export function readSearch(given: string): Search {
  const text = given.trim();
  const isHex = HEX.test(text);
  const bare = bareOf(text).toLowerCase();
  const isTerm = /^[\da-z_-]+$/.test(bare) && bare.length >= (isHex ? SHORTEST_HEX : SHORTEST);
  const isWholeTerm = bare.length >= TERM_LENGTH;
  const plain = GROUPED.test(text) ? text.replaceAll(',', '') : text;
  const amount = AMOUNT.test(plain) ? amountTerm(plain) : null;
  return { text, isHex, term: isTerm ? bare.slice(0, TERM_LENGTH) : null, isWholeTerm, amount };
}

/** True for a value that the index contains: if the index does not find it, it is nowhere. */
export function isIndexed(value: string): boolean {
  return VALUE.test(value.replace(CASH, '')) && readSearch(value).isWholeTerm;
}

export function isFound(search: Search, { quoteId, orderId, quoteText, reportText }: Searched): boolean {
  const { text, isHex, term, amount } = search;
  if (quoteId === text || (isHex && quoteId.toLowerCase() === text.toLowerCase())) return true;
  if (orderId !== null && foldCase(orderId).startsWith(foldCase(text))) return true;
  if (amount !== null && [quoteText, reportText].some((json) => json !== null && hasAmount(json, amount)))
    return true;
  if (term === null) return false;
  const wanted = folded(text, isHex);
  return [quoteText, reportText].some((json) => json !== null && hasValue(json, wanted, isHex));
}

/**
 * Writes letters of all scripts in one case. By the upper case, ß is ss and the dotless ı is i. İ becomes i, and the last ς of
 * a word σ: so the beginning of a word is folded as the whole word is. The database stores the result and has no rule for it.
 */
export function foldCase(text: string): string {
  const lower = text.toWellFormed().normalize('NFC').toLowerCase();
  return lower.toUpperCase().toLowerCase().replaceAll('i\u0307', 'i').replaceAll('ς', 'σ');
}

/**
 * The folded order id if it differs from the result of the database's `lower` with the collation "C", which knows only ASCII.
 */
export function storedFold(orderId: string | null): string | null {
  if (orderId === null) return null;
  const folded = foldCase(orderId);
  return folded === orderId.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) ? null : folded;
}

function hasAmount(json: string, amount: string): boolean {
  return json.includes(amount.slice(1)) && amountsIn(json).includes(amount);
}

/** A quick test of the text comes first: most texts lack the value, and need no parsing. */
function hasValue(json: string, wanted: string, isHex: boolean): boolean {
  const all = isHex ? json.toLowerCase() : json;
  return all.includes(wanted) && valuesIn(json).some((value) => folded(value, isHex).startsWith(wanted));
}

/** The text between any two quotation marks. Names of fields are among these texts, but they have no digits, or do no harm. */
function valuesIn(json: string): string[] {
  const values = json.split('"').map((value) => value.replace(CASH, ''));
  return values.filter((value) => VALUE.test(value));
}

/** The amounts in fields of that name, as `amountTerm` writes them. */
function amountsIn(json: string): string[] {
  const parts = json.split('"');
  const isAmount = (part: string, index: number): boolean =>
    AMOUNT_FIELDS.has(parts[index - 2]?.toLowerCase() ?? '') && AMOUNT.test(part);
  return parts.filter(isAmount).map(amountTerm);
}

/** `=12.5` for `012.50`: only amounts have terms that begin with `=`. */
function amountTerm(digits: string): string {
  const [whole = '', fraction = ''] = digits.split('.');
  const [left, right] = [whole.replace(/^0+(?=\d)/, ''), fraction.replace(/0+$/, '')];
  return right === '' ? `=${left}` : `=${left}.${right}`;
}

function folded(value: string, isHex: boolean): string {
  return isHex ? bareOf(value).toLowerCase() : bareOf(value);
}

function bareOf(value: string): string {
  return value.replace(CASH, '').replace(/^0x/i, '');
}
