import { hash } from 'node:crypto';

import { isRecord, readInstant } from './reading.ts';

/** Digests of the report's parts whose change is worth an event; '' stands for nothing told yet. */
export interface Marks {
  readonly deposit: string;
  readonly gas: string;
  readonly execution: string;
  readonly error: string;
}

/** What the provider says about a payment when asked: the spec's Payment status object, read tolerantly. */
export interface Report {
  readonly quoteId: string | null;
  /** The status word as told, known or not; null when the report has none, or an empty one. */
  readonly status: string | null;
  readonly expiresAt: Date | null;
  /** Only the parts that the report names: one left out says nothing, and is no change. */
  readonly marks: Partial<Marks>;
  /** The report verbatim, as JSON text. */
  readonly text: string;
  /** Digest of the text: an equal one means that nothing at all has changed. */
  readonly mark: string;
}

const PARTS = ['deposit', 'gas', 'execution', 'error'] as const;

/** Nesting that overflows the stack of whoever walks it takes more characters than these: it must show at once. */
const MAX_LEFT_UNWALKED = 4_096;

/** Reads a report from parsed JSON and its text; null when it cannot be one. Missing and unknown fields are fine. */
export function readReport(value: unknown, text: string): Report | null {
  if (!isRecord(value)) return null;
  const status = typeof value['status'] === 'string' ? value['status'] || null : null;
  if (value['success'] === false && status === null) return null;
  return new ReadReport(value, status, text);
}

/** A report as read; its parts are digested on first use, since most reports are the known one again. */
class ReadReport implements Report {
  readonly quoteId: string | null;
  readonly expiresAt: Date | null;
  readonly mark: string;
  readonly #parts: Record<string, unknown>;
  #marks: Partial<Marks> | null;

  constructor(
    value: Record<string, unknown>,
    readonly status: string | null,
    readonly text: string,
  ) {
    this.quoteId = typeof value['quoteId'] === 'string' ? value['quoteId'] : null;
    this.expiresAt = readInstant(value['expiresAt']);
    this.mark = digest(text);
    this.#parts = value;
    this.#marks = text.length > MAX_LEFT_UNWALKED ? marksOf(value) : null;
  }

  get marks(): Partial<Marks> {
    this.#marks ??= marksOf(this.#parts);
    return this.#marks;
  }
}

function marksOf(value: Record<string, unknown>): Partial<Marks> {
  const marks: { -readonly [K in keyof Marks]?: string } = {};
  for (const part of PARTS) {
    if (part in value) marks[part] = mark(value[part]);
  }
  return marks;
}

export function mergeMarks(stored: Marks, published: Partial<Marks>): Marks {
  return { ...stored, ...published };
}

export function sameMarks(a: Marks, b: Marks): boolean {
  return PARTS.every((part) => a[part] === b[part]);
}

function mark(part: unknown): string {
  if (isEmpty(part)) return '';
  return digest(canonical(part));
}

/** Not a secret and not a signature: 96 bits are enough to tell one report from the next. */
function digest(text: string): string {
  return hash('sha1', text, 'base64').slice(0, 16);
}

/** An execution whose every field is null says as little as none at all. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (typeof value !== 'object') return false;
  return Object.values(value).every(isEmpty);
}

/** The order of an object's keys is no change. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
