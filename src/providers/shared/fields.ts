/** Tolerant readers for members of a provider's JSON; none of them throws. */

import { isRecord } from '../../domain/payment/reading.ts';

const MAX_TEXT_LENGTH = 200;
/** Control characters, lone surrogates, and characters that change the direction of the text. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]+/gu;

/** The members of a JSON object; empty for any other value, since a provider may leave the object out. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The items of a JSON list; empty for a value that is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string that is not blank; null for any other value. */
export function readWord(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

export function readChainId(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return isWholeNumber(number) ? number : null;
}

export function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A hash, an address or an id; null when it is too long, since a part of it would be wrong. */
export function readText(value: unknown): string | null {
  const text = readWords(value, MAX_TEXT_LENGTH + 1);
  return text === null || text.length > MAX_TEXT_LENGTH ? null : text;
}

/** Printable text on one line, cut to `maxLength`; null for blank text and `N/A`. */
export function readWords(value: unknown, maxLength = MAX_TEXT_LENGTH): string | null {
  if (typeof value !== 'string') return null;
  const words = value.slice(0, maxLength).replace(UNPRINTABLE, ' ').trim();
  return words === '' || words.toUpperCase() === 'N/A' ? null : words;
}

/** The value at the end of a path through nested objects; undefined when a member is missing. */
export function inside(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}
