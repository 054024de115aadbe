import { isRecord } from '../../domain/payment/reading.ts';
import { parseRetryAfter } from '../../domain/text/retry-after.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { Json, parseJson } from './parse-provider-json.ts';
import { reasonOf } from '../../platform/outbound/exchange-reason.ts';

export type Unavailable = Extract<StatusAnswer, { kind: 'unavailable' }>;

/** The result of one HTTP request to the provider. */
export type ProviderResponse =
  /** JSON with any status; `retryAfterMs` is null for a 2xx. */
  | ({ readonly kind: 'json'; readonly httpStatus: number; readonly retryAfterMs: number | null } & Json)
  /** No response, or an unreadable one. */
  | Unavailable;

/** A response as it arrived; Retry-After is the only header that is read. */
export interface RawResponse {
  readonly status: number;
  readonly retryAfter: unknown;
  readonly body: Uint8Array;
}

const MAX_RETRY_AFTER_MS = 3_600_000;

export function unavailable(
  reason: string,
  httpStatus: number | null,
  retryAfterMs: number | null = null,
): Unavailable {
  return { kind: 'unavailable', reason, retryAfterMs, httpStatus };
}

/** The result of a failed request. Its status is known only if a response that was too large was aborted. */
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

function retryAfterMsOf(header: unknown, now: Date): number | null {
  const ms = typeof header === 'string' ? parseRetryAfter(header, now) : null;
  return ms === null ? null : Math.min(ms, MAX_RETRY_AFTER_MS);
}
