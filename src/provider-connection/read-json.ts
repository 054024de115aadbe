import { isUtf8 } from 'node:buffer';

import { LosslessNumber, isSafeNumber, parse } from 'lossless-json';

/** A JSON answer: what it means, and verbatim what it says. */
export interface Json {
  readonly value: unknown;
  readonly text: string;
}

const BYTE_ORDER_MARK = 0xfeff;
/** A number of 16 characters or more, or with an exponent; rarely a string's inside, which only costs time. */
const MAYBE_DAMAGED = /[:,[]\s*-?(?:\d[\d.]{15}|[\d.]{1,15}[eE])/;

/** Reads JSON of which numbers matter: two that differ stay different, though a double would take them for one. */
export function readJson(bytes: Uint8Array): Json | null {
  return read(bytes, (text) => (MAYBE_DAMAGED.test(text) ? parseLossless(text) : JSON.parse(text)));
}

/** Reads JSON that is only passed on: its numbers live in its text. */
export function readJsonToPassOn(bytes: Uint8Array): Json | null {
  return read(bytes, (text) => JSON.parse(text));
}

function read(bytes: Uint8Array, parseText: (text: string) => unknown): Json | null {
  // What came compressed against our wish ends here, without being unpacked.
  if (!isUtf8(bytes)) return null;
  const decoded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const text = decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded;
  try {
    return { value: parseText(text), text };
  } catch {
    return null;
  }
}

function parseLossless(text: string): unknown {
  return parse(text, null, {
    parseNumber: (number) => (isSafeNumber(number) ? Number(number) : new LosslessNumber(number)),
    // As JSON.parse has it: the last one wins.
    onDuplicateKey: ({ newValue }) => newValue,
  });
}
