import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';

import { LosslessNumber, isSafeNumber } from 'lossless-json';

import { exceededBound, type JsonBounds } from '../../domain/text/json-bounds.ts';

/** A JSON response: the parsed value, and the text verbatim. */
export interface Json {
  readonly value: unknown;
  readonly text: string;
}

const BYTE_ORDER_MARK = 0xfeff;
/** Matches a number of 16 characters or more, or with an exponent. A match inside a string is rare and only costs time. */
const MAYBE_INEXACT = /[:,[]\s*-?(?:\d[\d.]{15}|[\d.]{1,15}[eE])/;

const MAX_DEPTH = 64;
/** The spec's status has some forty values; each is walked to compute the report's digest. */
const PAYMENT_BOUNDS: JsonBounds = { depth: MAX_DEPTH, values: 2_000 };
/** The spec's quote has some sixty values. */
const QUOTE_BOUNDS: JsonBounds = { depth: MAX_DEPTH, values: 5_000 };
/** Relay's longest response, its list of chains, has about 30,000 values. */
const LONG_BOUNDS: JsonBounds = { depth: MAX_DEPTH, values: 100_000 };
const LIST_BOUNDS: JsonBounds = { depth: MAX_DEPTH, values: 250_000 };

/**
 * Matches strings and numbers, so that digits in a string do not count as a number. The text is valid JSON, in which each
 * string ends.
 */
const STRINGS_AND_NUMBERS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Marks numbers that were turned into strings; random, so that no provider can imitate it. */
const NUMBER_MARK = `${randomUUID()} `;

/** Parses a payment's status exactly: two different numbers stay different, even when they are the same double. */
export function parseJson(bytes: Uint8Array): Json | null {
  return parse(bytes, PAYMENT_BOUNDS, parseExactly);
}

/** Parses a quote exactly. A number that a double may not hold is read twice, so the bound on values is low. */
export function parseQuoteJson(bytes: Uint8Array): Json | null {
  return parse(bytes, QUOTE_BOUNDS, parseExactly);
}

/** Parses a page about many payments exactly, with higher bounds. */
export function parseLongJson(bytes: Uint8Array): Json | null {
  return parse(bytes, LONG_BOUNDS, parseExactly);
}

/** Parses a list whose text is forwarded verbatim: its parsed numbers need not be exact. */
export function parseForwardedJson(bytes: Uint8Array): Json | null {
  return parse(bytes, LIST_BOUNDS, (text) => JSON.parse(text));
}

/** Null for invalid JSON, and for JSON that is nested too deeply or has too many values. */
function parse(bytes: Uint8Array, bounds: JsonBounds, parseText: (text: string) => unknown): Json | null {
  // A compressed response, although identity was requested, is not UTF-8: it is refused without decompression.
  if (!isUtf8(bytes) || exceededBound(bytes, bounds) !== null) return null;
  const decoded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const text = decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded;
  try {
    return { value: parseText(text), text };
  } catch {
    return null;
  }
}

function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return MAYBE_INEXACT.test(text) ? parseAgainExactly(text) : value;
}

/** Passes numbers that no double holds through JSON.parse as strings: a parser in JavaScript is a hundred times slower. */
function parseAgainExactly(text: string): unknown {
  const guarded = text.replace(STRINGS_AND_NUMBERS, (token) =>
    token.startsWith('"') || isSafeNumber(token) ? token : `"${NUMBER_MARK}${token}"`,
  );
  return JSON.parse(guarded, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(NUMBER_MARK)
      ? new LosslessNumber(value.slice(NUMBER_MARK.length))
      : value,
  );
}
