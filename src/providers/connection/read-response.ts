import type { AxiosResponse } from 'axios';

import { isRecord } from '../../domain/payment/reading.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { Json, readJson } from './parse-provider-json.ts';
import { ANSWER_TOO_LARGE, DEADLINE_PASSED, TOO_MANY_HEADERS, TOO_MANY_INTERIM } from './undici-adapter.ts';

export type Unavailable = Extract<StatusAnswer, { kind: 'unavailable' }>;

/** What came back over HTTP. */
export type Reply =
  /** JSON, whatever the status; `retryAfterMs` is only read where the status is no 2xx. */
  | ({ readonly kind: 'json'; readonly httpStatus: number; readonly retryAfterMs: number | null } & Json)
  /** No answer, or one that can't be read. */
  | Unavailable;

const MAX_RETRY_AFTER_MS = 3_600_000;

const REASONS = new Map([
  [DEADLINE_PASSED, 'timeout'],
  [ANSWER_TOO_LARGE, 'answer too large'],
  [TOO_MANY_INTERIM, 'unreadable answer'],
  [TOO_MANY_HEADERS, 'unreadable answer'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection closed'],
  ['EPIPE', 'connection closed'],
  ['UND_ERR_SOCKET', 'connection closed'],
  ['ENOTFOUND', 'name not found'],
  ['EAI_AGAIN', 'name not found'],
  ['EHOSTUNREACH', 'no route'],
  ['ENETUNREACH', 'no route'],
  ['UND_ERR_CLOSED', 'stopping'],
  ['UND_ERR_DESTROYED', 'stopping'],
  ['HTTPParserError', 'unreadable answer'],
  ['UND_ERR_HEADERS_OVERFLOW', 'unreadable answer'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'unreadable answer'],
]);
const CERTIFICATE = /CERT|TLS|SSL|SIGNATURE/;

export function unavailable(
  reason: string,
  httpStatus: number | null,
  retryAfterMs: number | null = null,
): Unavailable {
  return { kind: 'unavailable', reason, retryAfterMs, httpStatus };
}

/** No usable answer came: the status is known only of one that was broken off for its size. */
export function unavailableAfter(error: unknown): Unavailable {
  const status = isRecord(error) && typeof error['status'] === 'number' ? error['status'] : null;
  return unavailable(reasonOf(error), status);
}

export function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}

/** What the body says and how long to wait; what the status means is the provider's reader to judge. */
export function readReply(response: AxiosResponse<Buffer>, read: typeof readJson, now: Date): Reply {
  const { status: httpStatus, data } = response;
  const isGood = isSuccess(httpStatus);
  const retryAfterMs = isGood ? null : readRetryAfter(response.headers['retry-after'], now);
  const json = read(data);
  if (json !== null) return { kind: 'json', httpStatus, value: json.value, text: json.text, retryAfterMs };
  return unavailable(isGood ? 'unreadable answer' : `status ${httpStatus}`, httpStatus, retryAfterMs);
}

/** Why there is no answer, in words that hold no address and no key. */
export function reasonOf(error: unknown): string {
  const code = isRecord(error) && typeof error['code'] === 'string' ? error['code'] : '';
  const known = REASONS.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'unreadable answer';
  return CERTIFICATE.test(code) ? 'certificate not trusted' : 'connection failed';
}

/** Retry-After in seconds or as an HTTP date; null when there is none that can be read. */
export function readRetryAfter(header: unknown, now: Date): number | null {
  if (typeof header !== 'string') return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : readHttpDate(header) - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** Date.parse alone takes almost anything for a date, `-5` too. */
function readHttpDate(header: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(header) : Number.NaN;
}
