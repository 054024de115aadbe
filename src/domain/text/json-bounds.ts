/** What a reader takes: beyond it, parsing alone would hold up everything else in the process. */
export interface JsonBounds {
  readonly depth: number;
  /** Members and elements, of all levels together. */
  readonly values: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** `[` and `{` differ in this bit alone, and so do `]` and `}`. */
const CURLY_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Which bound JSON exceeds, read from its bytes without parsing them; null when it keeps to both. The parser says whether
 * it is JSON at all.
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
