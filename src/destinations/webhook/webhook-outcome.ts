import { parseRetryAfter } from '../../domain/text/retry-after.ts';
import type { Outcome } from '../../ports/deliveries.ts';
import type { Ending } from './http-attempt.ts';
import { BlockedAddress } from '../../platform/outbound/guarded-connector.ts';
import type { WebhookFailure } from './webhook-descriptor.ts';

/** The part of a wait by which it is varied, up or down. */
const JITTER = 0.1;
const RETRY_AFTER_UP_TO_MS = 24 * 3_600_000;

/** The outcome of a delivery by HTTP status: any 2xx acknowledges it, 410 disables the endpoint, any other is retried. */
export function outcomeOfStatus(httpStatus: number, retryAfter: string | undefined, now: Date): Outcome {
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered', httpStatus };
  const failure = httpStatus === 410 ? 'gone' : httpStatus >= 300 && httpStatus < 400 ? 'redirect' : 'status';
  return { kind: 'failed', failure, httpStatus, retryAfterMs: parseRetryAfter(retryAfter, now) };
}

const DNS = /^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_)/;
const REFUSED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/;
const TIMEOUT = /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/;
const TOO_LARGE = /^(UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_EXCEEDED_MAX_SIZE|HPE_HEADER_OVERFLOW)$/;
/** The codes of OpenSSL, and its names for faults of a certificate. */
const TLS =
  /^(EPROTO|ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|PATH_LENGTH_|HOSTNAME_MISMATCH|ERROR_IN_C)/;
/** Failures of this process, such as too many open files: the endpoint is not at fault. */
const OUR_OWN = /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|EAGAIN|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/;

/** Classifies a connection error; null when this process is the cause. An unreadable response counts as reset. */
export function failureOf(error: unknown): WebhookFailure | null {
  if (error instanceof BlockedAddress) return 'blocked_address';
  const code = codeOf(error);
  if (OUR_OWN.test(code)) return null;
  if (DNS.test(code) || isLookupError(error)) return 'dns';
  if (REFUSED.test(code)) return 'refused';
  if (TIMEOUT.test(code)) return 'timeout';
  if (TOO_LARGE.test(code)) return 'too_large';
  return TLS.test(code) ? 'tls' : 'reset';
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** A name that can't be resolved at all, such as one with a too long label, fails with EINVAL in getaddrinfo. */
function isLookupError(error: unknown): boolean {
  return (error as { syscall?: unknown } | null | undefined)?.syscall === 'getaddrinfo';
}

/** Classifies an attempt without a response; null also when our shutdown aborted it. */
export function failureOfEnding(ending: Exclude<Ending, { kind: 'answered' }>): WebhookFailure | null {
  if (ending.kind === 'broken') return failureOf(ending.error);
  if (ending.kind === 'aborted') return null;
  return ending.kind === 'timeout' ? 'timeout' : 'too_large';
}

/** For a log line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The wait before the next attempt; null when the schedule is used up. `attempts` is the number of attempts so far. */
export function retryInMs(
  scheduleMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: () => number,
): number | null {
  const wait = scheduleMs[attempts - 1];
  if (wait === undefined) return null;
  const jittered = wait * (1 + JITTER * (2 * random() - 1));
  const asked = Math.min(retryAfterMs ?? 0, RETRY_AFTER_UP_TO_MS);
  return Math.round(Math.max(jittered, asked));
}
