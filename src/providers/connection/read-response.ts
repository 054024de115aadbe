import { isRecord } from '../../domain/payment/reading.ts';
import { parseRetryAfter } from '../../domain/text/retry-after.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import { UNREACHED } from '../../ports/unreached.ts';
import type { Json, parseJson } from './parse-provider-json.ts';
import type { ExchangeLimit } from './exchange-error.ts';

export type Unavailable = Extract<StatusAnswer, { kind: 'unavailable' }>;

/** The result of one HTTP request to the provider. */
export type ProviderResponse =
  /** JSON with any status; `retryAfterMs` is null for a 2xx. */
  | ({ readonly kind: 'json'; readonly httpStatus: number; readonly retryAfterMs: number | null } & Json)
  /** No response, or one that can't be read. */
  | Unavailable;

/** A response as it came; Retry-After is the only header that is read. */
export interface RawResponse {
  readonly status: number;
  readonly retryAfter: unknown;
  readonly body: Uint8Array;
}

const MAX_RETRY_AFTER_MS = 3_600_000;

const LIMITS: Readonly<Record<ExchangeLimit, string>> = {
  DEADLINE_PASSED: 'timeout',
  RESPONSE_TOO_LARGE: 'answer too large',
  TOO_MANY_HEADERS: 'unreadable answer',
  TOO_MANY_CHUNKS: 'unreadable answer',
};
const REASONS = new Map<string, string>([
  ...Object.entries(LIMITS),
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ECONNREFUSED', UNREACHED.refused],
  ['ECONNRESET', 'connection closed'],
  ['EPIPE', 'connection closed'],
  ['UND_ERR_SOCKET', 'connection closed'],
  ['ENOTFOUND', UNREACHED.unnamed],
  ['EAI_AGAIN', UNREACHED.unnamed],
  ['EHOSTUNREACH', UNREACHED.unrouted],
  ['ENETUNREACH', UNREACHED.unrouted],
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

/** The result of a request that failed. Its status is known only when a too large response was aborted. */
export function unavailableAfter(error: unknown): Unavailable {
  const status = isRecord(error) && typeof error['status'] === 'number' ? error['status'] : null;
  return unavailable(reasonOf(error), status);
}

export function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}

/** Parses the body and Retry-After. The caller decides what the HTTP status means. */
export function readResponse(
  { status: httpStatus, retryAfter, body }: RawResponse,
  parse: typeof parseJson,
  now: Date,
): ProviderResponse {
  const isGood = isSuccess(httpStatus);
  const retryAfterMs = isGood ? null : retryAfterMsOf(retryAfter, now);
  const json = parse(body);
  if (json !== null) return { kind: 'json', httpStatus, value: json.value, text: json.text, retryAfterMs };
  return unavailable(isGood ? 'unreadable answer' : `status ${httpStatus}`, httpStatus, retryAfterMs);
}

/** Why there is no response, in words without an address or a key. */
export function reasonOf(error: unknown): string {
  const code = isRecord(error) && typeof error['code'] === 'string' ? error['code'] : '';
  const known = REASONS.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'unreadable answer';
  return CERTIFICATE.test(code) ? 'certificate not trusted' : 'connection failed';
}

function retryAfterMsOf(header: unknown, now: Date): number | null {
  const ms = typeof header === 'string' ? parseRetryAfter(header, now) : null;
  return ms === null ? null : Math.min(ms, MAX_RETRY_AFTER_MS);
}
