import { OWN_CODES } from '../../domain/delivery/failure-advice.ts';
import { parseRetryAfter } from '../../domain/text/retry-after.ts';
import type { Failed, Outcome } from '../../ports/deliveries.ts';
import type { TestAnswer } from '../../ports/webhook-tester.ts';
import { codeIn, codeOfAnswer, codeOfError } from './attempt-code.ts';
import { excerptOf } from './excerpt.ts';
import type { Ending } from './http-attempt.ts';
import { BlockedAddress } from '../../platform/outbound/guarded-connector.ts';
import { isTlsCode } from '../../platform/outbound/tls-codes.ts';
import type { WebhookFailure } from './webhook-descriptor.ts';

/** The share by which a wait varies, up or down. */
const JITTER = 0.1;
const RETRY_AFTER_UP_TO_MS = 24 * 3_600_000;

/** The outcome of a delivery by HTTP status: any 2xx acknowledges it, 410 disables the endpoint, any other is retried. */
export function outcomeOfStatus(httpStatus: number, retryAfter: string | undefined, now: Date): Made {
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered', httpStatus };
  const failure = httpStatus === 410 ? 'gone' : httpStatus >= 300 && httpStatus < 400 ? 'redirect' : 'status';
  return { kind: 'failed', failure, httpStatus, retryAfterMs: parseRetryAfter(retryAfter, now) };
}

const DNS = /^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_)/;
const REFUSED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/;
const TIMEOUT = /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/;
const TOO_LARGE = /^(UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_EXCEEDED_MAX_SIZE|HPE_HEADER_OVERFLOW)$/;
/** Failures of this process, such as too many open files: the endpoint is not at fault. */
const OUR_OWN = /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|EAGAIN|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/;

/** Classifies a connection error; null when this process is the cause. An unreadable response counts as reset. */
export function failureOf(error: unknown): WebhookFailure | null {
  if (error instanceof BlockedAddress) return 'blocked_address';
  const code = codeIn(error);
  if (OUR_OWN.test(code)) return null;
  if (DNS.test(code) || isLookupError(error)) return 'dns';
  if (REFUSED.test(code)) return 'refused';
  if (TIMEOUT.test(code)) return 'timeout';
  if (TOO_LARGE.test(code)) return 'too_large';
  return isTlsCode(code) ? 'tls' : 'reset';
}

/** A name that can never be resolved, such as one with a label that is too long, fails with EINVAL in getaddrinfo. */
function isLookupError(error: unknown): boolean {
  return (error as { syscall?: unknown } | null | undefined)?.syscall === 'getaddrinfo';
}

/** An attempt that counts, with its trace. */
type Made = Exclude<Outcome, { kind: 'held' }>;

/** The outcome of an attempt; null: it was aborted by our shutdown, or this process is the cause of its failure. */
export async function outcomeOfEnding(ending: Ending, now: Date): Promise<Made | null> {
  const { address } = ending;
  if (ending.kind !== 'answered') {
    const failed = failedBy(ending);
    return failed && { ...failed, trace: { address, excerpt: null } };
  }
  const { httpStatus, retryAfter, connection } = ending;
  // The status alone decides, even if the answer's body cannot be shown.
  const excerpt = await excerptOf(ending.excerpt).catch(() => '');
  const made = { ...outcomeOfStatus(httpStatus, retryAfter, now), trace: { address, excerpt } };
  if (made.kind === 'delivered') return made;
  return { ...made, code: codeOfAnswer(httpStatus, excerpt, connection) };
}

/** An attempt without an answer. */
function failedBy(ending: Exclude<Ending, { kind: 'answered' }>): Failed | null {
  if (ending.kind === 'aborted') return null;
  if (ending.kind !== 'broken') return failed(ending.kind === 'timeout' ? 'timeout' : 'too_large', null);
  const { error, connection } = ending;
  if (error instanceof BlockedAddress) return failed('blocked_address', null);
  const code = codeOfError(error, connection);
  const failure = code === OWN_CODES.certificateDemanded ? 'tls' : failureOf(error);
  return failure && failed(failure, code);
}

/** An outcome of `outcomeOfEnding`, for the person who waits for it. */
export function answerOf(outcome: Made | null): Omit<TestAnswer, 'durationMs'> {
  const { httpStatus = null, trace } = outcome ?? {};
  const { failure, code = null } = outcome?.kind === 'failed' ? outcome : { failure: null };
  return {
    delivered: outcome?.kind === 'delivered',
    httpStatus,
    failure,
    code,
    body: trace?.excerpt ?? null,
  };
}

function failed(failure: WebhookFailure, code: string | null): Failed {
  return { kind: 'failed', failure, code, httpStatus: null, retryAfterMs: null };
}

/** For a log line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The wait before the next attempt; null when the schedule is used up. `attempts` is the number of attempts made. */
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
