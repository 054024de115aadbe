import { isRecord } from '../../domain/payment/reading.ts';
import type { ShownBlock } from '../../domain/proof/shown.ts';

const HASH = /^[\da-f]{64}$/i;
const DIGITS = /^[\da-f]*$/i;
/** 21 million coins have 16 digits, all Dogecoins 20. */
const AMOUNT = /^\d{1,20}$/;

/** Each reader returns undefined for a value of another form. */

export function hashOf(value: unknown): string | undefined {
  return typeof value === 'string' && HASH.test(value) ? value.toLowerCase() : undefined;
}

/** A script has any length: any person may send a payment together with 100,000 bytes of data. */
export function scriptIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length % 2 !== 0 || !DIGITS.test(value)) return undefined;
  return value.toLowerCase();
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Reads digits: an amount may exceed a JavaScript number. */
export function amountOf(digits: unknown): bigint | undefined {
  return typeof digits === 'string' && AMOUNT.test(digits) ? BigInt(digits) : undefined;
}

export function blockOf(height: unknown, hash: unknown, seconds: unknown): ShownBlock | undefined {
  const number = numberOf(height);
  const blockHash = hashOf(hash);
  const at = new Date((numberOf(seconds) ?? Number.NaN) * 1_000);
  if (number === undefined || blockHash === undefined || Number.isNaN(at.getTime())) return undefined;
  return { number, hash: blockHash, at };
}

/** All elements as `read` gives them; undefined: the value is no array, or an element is undefined. */
export function eachOf<T>(
  value: unknown,
  read: (element: Readonly<Record<string, unknown>>, at: number) => T | undefined,
): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const elements = value.map((element: unknown, at) => (isRecord(element) ? read(element, at) : undefined));
  return elements.includes(undefined) ? undefined : (elements as T[]);
}

/** True: one of the elements is in an extension block, which hides its amount and script. */
export function hidesOne(elements: unknown): boolean {
  return Array.isArray(elements) && elements.some(isHidden);
}

/** Litecoin's nodes mark such elements so. */
export function isHidden(element: unknown): boolean {
  return isRecord(element) && element['ismweb'] === true;
}
