/** Limits of the JSON that Paybell parses: parsing more would block the event loop. */
export interface JsonBounds {
  readonly depth: number;
  /** The number of members and elements on all levels. */
  readonly values: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** `[` and `{` differ in this bit only, as do `]` and `}`. */
const CURLY_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Scans the bytes without parsing them and returns the bound that the JSON exceeds; null within both. It does not check
 * whether the bytes are JSON.
 */
export function exceededBound(bytes: Uint8Array, { depth, values }: JsonBounds): keyof JsonBounds | null {
  let level = 0;
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const bracket = byte | CURLY_BIT;
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === COMMA) count += 1;
    else if (bracket === CLOSE) level -= 1;
    else if (bracket === OPEN) {
      level += 1;
      count += 1;
    }
    if (level > depth) return 'depth';
    if (count > values) return 'values';
  }
  return null;
}

function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
