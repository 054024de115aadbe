import { printableLines } from '../../domain/text/printable.ts';

const REDACTED = '[redacted]';
const SECRET_NAME =
  /authorization|cookie|api-?_?key$|secret|password|passwd|token|credential|encryption_?key/i;
const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
const MAX_TEXT = 8_192;

/** Texts that look like a secret under any name: URL credentials, webhook secrets, our API keys and session tokens, payers' links, bearer headers. */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, `$1${REDACTED}@`],
  [/\bwhs(?:ec|k)_[A-Za-z0-9+/=_-]+/g, REDACTED],
  [/\bpbs?_[A-Za-z0-9_-]{20,}/g, REDACTED],
  [/\bpbl_[A-Za-z0-9_.-]{20,}/g, REDACTED],
  [/\b(bearer) +[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
];

/** Removes secrets and unprintable characters from the text, and cuts it to a line's maximum length. */
export function cleanText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  const plain = printableLines(cut, '?');
  return SECRET_TEXTS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), plain);
}

/** Returns a copy that is safe to log: without secrets and cycles, bounded in depth and length. */
export function cleanObject(value: object, withStack: boolean): Record<string, unknown> {
  return cleanEntries(value, withStack, 0);
}

/** Returns the fields of an error that are safe to log: a driver's error also carries its query and parameters. */
export function errorFields(error: Error, withStack: boolean, depth = 0): Record<string, unknown> {
  const { code } = error as { code?: unknown };
  return {
    type: error.constructor.name,
    message: cleanText(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(withStack && error.stack !== undefined ? { stack: cleanText(error.stack) } : {}),
    ...(error.cause instanceof Error && depth < MAX_DEPTH
      ? { cause: errorFields(error.cause, withStack, depth + 1) }
      : {}),
  };
}

function cleanEntries(value: object, withStack: boolean, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(
    entries.map(([name, part]) => [
      cleanText(name),
      SECRET_NAME.test(name) ? REDACTED : clean(part, withStack, depth + 1),
    ]),
  );
}

function clean(value: unknown, withStack: boolean, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value;
  if (value instanceof Error) return errorFields(value, withStack, depth);
  if (Buffer.isBuffer(value)) return `<${value.length} bytes>`;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => clean(item, withStack, depth + 1));
  return cleanEntries(value, withStack, depth);
}
