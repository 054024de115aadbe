import { isPrintable, printable } from '../text/printable.ts';
import { isRecord } from './reading.ts';

/** Validates the order id and metadata that a merchant attaches to a payment. */

const MAX_ORDER_ID = 200;
const MAX_ENTRIES = 50;
const MAX_KEY = 100;
const MAX_VALUE = 500;
/** Copied key by key, metadata with one of these names would change the prototype of the consumer's object. */
const RESERVED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const LONE_SURROGATE = /\p{Cs}/u;

export interface MetadataFault {
  /** The key of the invalid entry; null when the metadata as a whole is invalid. */
  readonly key: string | null;
  readonly message: string;
}

export function isOrderId(value: unknown): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_ORDER_ID && isPrintable(value)
  );
}

/** Returns why this metadata is invalid; null when it is valid. */
export function metadataFault(value: unknown): MetadataFault | null {
  if (!isRecord(value)) return { key: null, message: 'must be an object of string values' };
  const entries = Object.entries(value);
  if (entries.length > MAX_ENTRIES) return { key: null, message: `must have at most ${MAX_ENTRIES} entries` };
  for (const [key, inner] of entries) {
    const message = entryFault(key, inner);
    if (message !== null) return { key: shown(key), message };
  }
  return null;
}

function entryFault(key: string, value: unknown): string | null {
  if (key === '' || key.length > MAX_KEY) return `must have a key of 1 to ${MAX_KEY} characters`;
  if (!isPrintable(key)) return 'must have a key without control characters';
  if (RESERVED_KEYS.has(key)) return 'must have another key: this one is reserved';
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > MAX_VALUE) return `must have at most ${MAX_VALUE} characters`;
  if (value.includes('\0') || LONE_SURROGATE.test(value)) return 'must be text';
  return null;
}

/** Makes an invalid key safe to show in an error message: cut to size, on one line. */
function shown(key: string): string {
  return printable(key.slice(0, MAX_KEY), '?');
}
