import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';

import { LosslessNumber, isSafeNumber } from 'lossless-json';

import { exceededBound, type JsonBounds } from '../../domain/text/json-bounds.ts';

/** A JSON answer: what it means, and verbatim what it says. */
export interface Json {
  readonly value: unknown;
  readonly text: string;
}

const BYTE_ORDER_MARK = 0xfeff;
/** A number of 16 characters or more, or with an exponent; rarely a string's inside, which only costs time. */
const MAYBE_DAMAGED = /[:,[]\s*-?(?:\d[\d.]{15}|[\d.]{1,15}[eE])/;

const MAX_DEPTH = 64;
/** The spec's status has some forty; each is walked to see what has changed. */
const OF_PAYMENT: JsonBounds = { depth: MAX_DEPTH, values: 2_000 };
/** Relay's longest, its chains, has about 30,000. */
const OF_LONG: JsonBounds = { depth: MAX_DEPTH, values: 100_000 };
const OF_LIST: JsonBounds = { depth: MAX_DEPTH, values: 250_000 };

/** Every token that a number could be mistaken in or for; only of text that was parsed, so that each string ends. */
const STRINGS_AND_NUMBERS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Marks numbers that were made strings; nobody outside can know it. */
const NUMBER_MARK = `${randomUUID()} `;

/** Reads a payment's status, of which numbers matter: two that differ stay different, though a double would take them for one. */
export function readJson(bytes: Uint8Array): Json | null {
  return read(bytes, OF_PAYMENT, parseExactly);
}

/** Reads a quote or a page about many payments in the same way. */
export function readLongJson(bytes: Uint8Array): Json | null {
  return read(bytes, OF_LONG, parseExactly);
}

/** Reads a list that is only passed on: its numbers live in its text. */
export function readJsonToPassOn(bytes: Uint8Array): Json | null {
  return read(bytes, OF_LIST, (text) => JSON.parse(text));
}

/** Null also for JSON that nests too deep or has too many elements. */
function read(bytes: Uint8Array, bounds: JsonBounds, parseText: (text: string) => unknown): Json | null {
  // What came compressed against our wish ends here, without being unpacked.
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
  return MAYBE_DAMAGED.test(text) ? parseAgainExactly(text) : value;
}

/** Numbers that a double would damage go past the parser as strings: a parser of our own is a hundred times slower. */
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
