import { hash } from 'node:crypto';

import { isRecord, readInstant } from './reading.ts';

/** Digests of the report's parts whose change makes an event; '' for a part that no report has filled yet. */
export interface PartDigests {
  readonly deposit: string;
  readonly gas: string;
  readonly execution: string;
  readonly error: string;
}

/** The provider's answer to a poll: the spec's Payment status object, read tolerantly. */
export interface Report {
  readonly quoteId: string | null;
  /** The reported status word, known or not; null when the report has none, or an empty one. */
  readonly status: string | null;
  readonly expiresAt: Date | null;
  /** Only the parts that the report names: a missing part is no change. */
  readonly partDigests: Partial<PartDigests>;
  /** The report verbatim, as JSON text. */
  readonly text: string;
  /** Digest of the text: an equal digest means an identical report. */
  readonly digest: string;
}

const PARTS = ['deposit', 'gas', 'execution', 'error'] as const;

/** Only a longer text can nest deep enough to overflow the stack, so a longer one is walked while it is read. */
const MAX_LEFT_UNWALKED = 4_096;

/** Reads a report from parsed JSON and its text; null when it is no report. Missing and unknown fields are allowed. */
export function readReport(value: unknown, text: string): Report | null {
  if (!isRecord(value)) return null;
  const status = typeof value['status'] === 'string' ? value['status'] || null : null;
  if (value['success'] === false && status === null) return null;
  return new ReadReport(value, status, text);
}

/** Computes the digests of its parts on first use, since most polls return the report that is stored already. */
class ReadReport implements Report {
  readonly quoteId: string | null;
  readonly expiresAt: Date | null;
  readonly digest: string;
  readonly #parts: Record<string, unknown>;
  #partDigests: Partial<PartDigests> | null;

  constructor(
    value: Record<string, unknown>,
    readonly status: string | null,
    readonly text: string,
  ) {
    this.quoteId = typeof value['quoteId'] === 'string' ? value['quoteId'] : null;
    this.expiresAt = readInstant(value['expiresAt']);
    this.digest = digestOf(text);
    this.#parts = value;
    this.#partDigests = text.length > MAX_LEFT_UNWALKED ? partDigestsOf(value) : null;
  }

  get partDigests(): Partial<PartDigests> {
    this.#partDigests ??= partDigestsOf(this.#parts);
    return this.#partDigests;
  }
}

function partDigestsOf(value: Record<string, unknown>): Partial<PartDigests> {
  const digests: { -readonly [K in keyof PartDigests]?: string } = {};
  for (const part of PARTS) {
    if (part in value) digests[part] = partDigest(value[part]);
  }
  return digests;
}

export function mergePartDigests(stored: PartDigests, reported: Partial<PartDigests>): PartDigests {
  return { ...stored, ...reported };
}

export function samePartDigests(a: PartDigests, b: PartDigests): boolean {
  return PARTS.every((part) => a[part] === b[part]);
}

function partDigest(part: unknown): string {
  if (isEmpty(part)) return '';
  return digestOf(canonical(part));
}

/** Of text, or of its UTF-8 bytes. Detects changes and secures nothing: 96 bits are enough to tell one report from the next. */
export function digestOf(text: string | Uint8Array): string {
  return hash('sha1', text, 'base64').slice(0, 16);
}

/** An object whose fields are all null counts as empty, like a missing one. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (typeof value !== 'object') return false;
  return Object.values(value).every(isEmpty);
}

/** Sorts object keys, so that another key order makes no other digest. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
