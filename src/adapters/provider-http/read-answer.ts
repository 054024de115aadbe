import type { AxiosResponse } from 'axios';

import { isRecord } from '../../domain/reading.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { Json, readJson } from './read-json.ts';
import { readRefusal, type Refusal } from './read-refusal.ts';
import { ANSWER_TOO_LARGE, DEADLINE_PASSED } from './undici-adapter.ts';

export type Unavailable = Extract<StatusAnswer, { kind: 'unavailable' }>;

/** What an exchange with the provider came to. */
export type Answer =
  | ({ readonly kind: 'json' } & Json)
  | ({ readonly kind: 'refused' } & Refusal)
  | Unavailable
  | { readonly kind: 'credentials' };

const MAX_RETRY_AFTER_MS = 3_600_000;

const REASONS = new Map([
  [DEADLINE_PASSED, 'timeout'],
  [ANSWER_TOO_LARGE, 'answer too large'],
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

/** What the HTTP status and the body mean, whatever they are; `secret` is cut out of the provider's words. */
export function readAnswer(
  response: AxiosResponse<Buffer>,
  read: typeof readJson,
  secret: string | null,
  now: Date,
): Answer {
  const { status, data } = response;
  if (status >= 200 && status < 300) {
    const json = read(data);
    return json === null
      ? unavailable('unreadable answer', status)
      : { kind: 'json', value: json.value, text: json.text };
  }
  if (status === 401 || status === 403) return { kind: 'credentials' };
  if (status === 400 || status === 404 || status === 422) {
    return { kind: 'refused', ...readRefusal(status, read(data)?.value, secret) };
  }
  return unavailable(`status ${status}`, status, readRetryAfter(response.headers['retry-after'], now));
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
