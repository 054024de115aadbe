import { hash } from 'node:crypto';

import { addressKey } from '../chains/address-key.ts';
import { readAnomalies, type ReportedAnomaly } from './outcome.ts';
import { isRecord, readInstant } from './reading.ts';
import { withMembers } from './shown-report.ts';

/** Digests of the report's parts whose change makes an event; '' for a part that no report has filled yet. */
export interface PartDigests {
  readonly deposit: string;
  readonly gas: string;
  readonly execution: string;
  readonly error: string;
  /** Digest of the times in the deposit, which the digest `deposit` leaves out. */
  readonly depositTimes: string;
  readonly executionTimes: string;
  /** Digest of the payment's deposit address, which never changes; '' until a quote or a report has named it. */
  readonly address: string;
  /** When an event last reported a change of noise only, in milliseconds since 1970; 0: never. */
  readonly noiseToldAt: number;
}

type ReportedParts = Partial<Pick<PartDigests, (typeof PARTS)[number] | (typeof NOISE)[number]>>;

/** The provider's answer to a poll: the spec's Payment status object, read tolerantly. */
export interface Report {
  /** Null when the report names none; '' when its value is no id. */
  readonly quoteId: string | null;
  /** The reported status, known or not. */
  readonly status: string;
  readonly expiresAt: Date | null;
  /** Null when the report names none; '' when its value is no address. */
  readonly depositAddress: string | null;
  /** The anomalies that the report itself names. */
  readonly anomalies: readonly ReportedAnomaly[];
  /** The parts that the report has: a missing part is no change. */
  readonly partDigests: ReportedParts;
  /** The report verbatim, as JSON text. */
  readonly text: string;
  /** Digest of the text: an equal digest means an identical report. */
  readonly digest: string;
}

const PARTS = ['deposit', 'gas', 'execution', 'error'] as const;
/** Parts that may change at each poll. */
const NOISE = ['gas', 'depositTimes', 'executionTimes'] as const;
/** A member of this name that is null or an instant is a time. */
const TIME = /^at$|(?:At|_at|[Tt]ime(?:stamp)?)$/;

const NOISE_EVERY_MS = 60_000;

/** Only a longer text can nest deeply enough to overflow the stack; such a text is walked while it is read. */
const MAX_LEFT_UNWALKED = 4_096;

/** The form of the spec's statuses. Errors of gateways have another form there, such as `error`. */
const STATUS_WORD = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/;
/** A longer status is cut, in the text too, since every event of the payment carries the report. */
const MAX_STATUS = 100;

/**
 * Reads a report from parsed JSON and its text; null when it is no report: it has no status, or says that the request failed.
 * Other missing fields, and unknown ones, are allowed. A status of another form than the spec's counts if the answer says
 * that it is a success or names its quote.
 */
export function readReport(value: unknown, text: string): Report | null {
  if (!isRecord(value)) return null;
  const { success, status, quoteId } = value;
  if ((success ?? true) !== true || typeof status !== 'string' || status.trim() === '') return null;
  if (!STATUS_WORD.test(status) && success !== true && typeof quoteId !== 'string') return null;
  if (status.length <= MAX_STATUS) return new ReadReport(value, status, text);
  const word = status.slice(0, MAX_STATUS).toWellFormed();
  return new ReadReport(value, word, withMembers(text, { status: word }));
}

/** Computes the digests of the report's parts on first use, since most polls return a report that is stored already. */
class ReadReport implements Report {
  readonly quoteId: string | null;
  readonly expiresAt: Date | null;
  readonly depositAddress: string | null;
  readonly anomalies: readonly ReportedAnomaly[];
  readonly digest: string;
  readonly #parts: Record<string, unknown>;
  #partDigests: ReportedParts | null;

  constructor(
    value: Record<string, unknown>,
    readonly status: string,
    readonly text: string,
  ) {
    const { quoteId, depositAddress } = value;
    this.quoteId = (quoteId ?? null) === null ? null : typeof quoteId === 'string' ? quoteId : '';
    this.expiresAt = readInstant(value['expiresAt']);
    this.depositAddress = readAddress(depositAddress);
    this.anomalies = readAnomalies(value['anomalies']);
    this.digest = digestOf(text);
    this.#parts = value;
    this.#partDigests = text.length > MAX_LEFT_UNWALKED ? partDigestsOf(value) : null;
  }

  get partDigests(): ReportedParts {
    this.#partDigests ??= partDigestsOf(this.#parts);
    return this.#partDigests;
  }
}

/** True for a report that says COMPLETED; null means no report. */
export function isCompletion(report: Pick<Report, 'status'> | null): boolean {
  return report?.status === 'COMPLETED';
}

function readAddress(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : '';
}

/** '' when there is no address. */
export function addressDigest(address: string | null): string {
  return address ? digestOf(addressKey(address)) : '';
}

function partDigestsOf(value: Record<string, unknown>): ReportedParts {
  const digests: { -readonly [K in keyof ReportedParts]: string } = {};
  for (const part of PARTS) {
    if (!(part in value)) continue;
    const times: unknown[] | null = part === 'deposit' || part === 'execution' ? [] : null;
    digests[part] = partDigest(value[part], times);
    if (times !== null && times.length > 0)
      digests[part === 'deposit' ? 'depositTimes' : 'executionTimes'] = digestOf(JSON.stringify(times));
  }
  return digests;
}

/** The first named address stays the payment's address. */
export function mergePartDigests(
  stored: PartDigests,
  { partDigests, depositAddress }: Pick<Report, 'partDigests' | 'depositAddress'>,
): PartDigests {
  return { ...stored, ...partDigests, address: stored.address || addressDigest(depositAddress) };
}

export function samePartDigests(a: PartDigests, b: PartDigests): boolean {
  return [...PARTS, ...NOISE].every((part) => a[part] === b[part]);
}

/** The digests, in which those of the noisy parts come from the second argument. */
export function withNoiseOf(
  digests: PartDigests,
  { gas, depositTimes, executionTimes }: PartDigests,
): PartDigests {
  return { ...digests, gas, depositTimes, executionTimes };
}

export function differInNoiseAlone(a: PartDigests, b: PartDigests): boolean {
  return !samePartDigests(a, b) && samePartDigests(withNoiseOf(a, b), b);
}

/** True when gas or times are reported for the first time. */
export function isFirstNoise(a: PartDigests, told: PartDigests): boolean {
  return NOISE.some((part) => told[part] === '' && a[part] !== '');
}

/** Until this time, a change of noise only makes no event. */
export function noiseHeldUntil({ noiseToldAt }: PartDigests): number {
  return noiseToldAt + NOISE_EVERY_MS;
}

/** Leaves times out of the digest; adds them to `times`, unless that is null. */
function partDigest(part: unknown, times: unknown[] | null): string {
  if (isEmpty(part)) return '';
  return digestOf(canonical(part, times));
}

/** Digest of a text or its UTF-8 bytes. It detects changes and secures nothing, for which 96 bits are enough. */
export function digestOf(text: string | Uint8Array): string {
  return hash('sha1', text, 'base64').slice(0, 16);
}

/** An object whose fields are all null counts as empty, like a missing one. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (typeof value !== 'object') return false;
  return Object.values(value).every(isEmpty);
}

/** Sorts object keys, so that their order does not change the digest. */
function canonical(value: unknown, times: unknown[] | null): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (isRecord(inner))
      return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
    if (times === null || !TIME.test(key) || !isTime(inner)) return inner;
    if (inner !== null) times.push(inner);
    return undefined;
  });
}

function isTime(value: unknown): boolean {
  return value === null || readInstant(value) !== null;
}
