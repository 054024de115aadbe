import {
  burstOf,
  burstOfBudget,
  fullRate,
  latest,
  MAX_PAUSE_MS,
  PROBE_UP_TO_MS,
  rateOf,
  RESERVED_FROM_RPM,
  untilMs,
  type RateLimit,
  type RateLimitRules,
} from './rate-limit.ts';

/** What may be asked now. */
export interface Admission {
  readonly granted: number;
  /** The one request that tries whether the provider works again. */
  readonly isProbe: boolean;
  /** When to ask for more, if less than wanted was granted. */
  readonly waitMs: number;
}

const RESERVED_SHARE = 0.25;
/** Whoever refreshes over and over leaves this much of the rate to polling at the least. */
const URGENT_SHARE = 0.5;
const SHORTEST_WAIT_MS = 20;
/** What adding up many small refills may lose. */
const ROUNDING = 1e-6;
const AT_ONCE = { isProbe: false, waitMs: 0 } as const;

/** Takes up to `wanted` requests; a negative number gives back. A few are left for a caller who waits, `isUrgent`. */
export function take(
  rateLimit: RateLimit,
  wanted: number,
  now: number,
  rules: RateLimitRules,
  isUrgent = false,
): { rateLimit: RateLimit; admission: Admission } {
  const filled = refill(rateLimit, now, rules);
  if (wanted <= 0) {
    const back = isUrgent ? spendUrgent(filled, wanted) : spend(filled, wanted);
    return { rateLimit: back, admission: { granted: wanted, ...AT_ONCE } };
  }
  const pauseMs = untilMs(filled.pausedUntil, now, MAX_PAUSE_MS);
  if (pauseMs > 0) return refused(filled, pauseMs);
  if (filled.circuit !== 'closed') return probe(filled, now, rules);
  const kept = isUrgent ? 0 : reserveOf(rateOf(filled, now, rules), rules);
  const free = isUrgent ? Math.min(wholeTokens(filled), whole(filled.urgent)) : wholeTokens(filled) - kept;
  const granted = Math.min(Math.max(free, 0), wanted);
  const left = isUrgent ? spendUrgent(filled, granted) : spend(filled, granted);
  if (granted === wanted) return { rateLimit: left, admission: { granted, ...AT_ONCE } };
  const waitMs = isUrgent ? waitForCallerMs(left, 1, now, rules) : tokenInMs(left, kept, now, rules);
  return { rateLimit: left, admission: { granted, isProbe: false, waitMs } };
}

/** How long until callers who wait may make so many requests. */
export function waitForCallerMs(
  rateLimit: RateLimit,
  requests: number,
  now: number,
  rules: RateLimitRules,
): number {
  const pauseMs = untilMs(rateLimit.pausedUntil, now, MAX_PAUSE_MS);
  const shareMs = ((requests - rateLimit.urgent) / callersRate(rateLimit, now, rules)) * 1_000;
  return pauseMs + Math.max(shareMs, tokenInMs(rateLimit, requests - 1, now, rules));
}

/** Requests a second that callers who wait may make, all together. */
export function callersRate(rateLimit: RateLimit, now: number, rules: RateLimitRules): number {
  return URGENT_SHARE * rateOf(rateLimit, now, rules);
}

/** Takes requests that were made already, also such as the budget does not have: later ones wait for them. */
export function overdraw(
  rateLimit: RateLimit,
  requests: number,
  now: number,
  rules: RateLimitRules,
): RateLimit {
  return spend(refill(rateLimit, now, rules), requests);
}

function refill(rateLimit: RateLimit, now: number, rules: RateLimitRules): RateLimit {
  const rate = rateOf(rateLimit, now, rules);
  const isOver = rate === fullRate(rules);
  const slowed = isOver ? null : rateLimit.slowed;
  const refilledAt = latest(rateLimit, now);
  if (rate === Number.POSITIVE_INFINITY)
    return { ...rateLimit, slowed, tokens: rate, urgent: rate, refilledAt };
  const had = Number.isFinite(rateLimit.tokens) ? rateLimit.tokens : 0;
  const passedMs = Math.max(refilledAt - rateLimit.refilledAt, 0);
  const tokens = Math.min(had + (rate * passedMs) / 1_000, burstOf(rate, rules));
  const urgent = urgentOf(rateLimit, (URGENT_SHARE * rate * passedMs) / 1_000, burstOf(rate, rules));
  return { ...rateLimit, slowed, tokens, urgent, refilledAt };
}

/** Without a limit there is nothing to spend. */
function spend(rateLimit: RateLimit, requests: number): RateLimit {
  return Number.isFinite(rateLimit.tokens)
    ? { ...rateLimit, tokens: rateLimit.tokens - requests }
    : rateLimit;
}

function spendUrgent(rateLimit: RateLimit, requests: number): RateLimit {
  const spent = spend(rateLimit, requests);
  return Number.isFinite(rateLimit.urgent) ? { ...spent, urgent: rateLimit.urgent - requests } : spent;
}

function urgentOf({ urgent }: RateLimit, refilled: number, burst: number): number {
  return Math.min((Number.isFinite(urgent) ? urgent : 0) + refilled, burst);
}

function wholeTokens({ tokens }: RateLimit): number {
  return whole(tokens);
}

function whole(tokens: number): number {
  return Math.floor(Math.max(tokens, 0) + ROUNDING);
}

/** How long until there is one more than `kept`. */
function tokenInMs(rateLimit: RateLimit, kept: number, now: number, rules: RateLimitRules): number {
  return Math.max(((kept + 1 - rateLimit.tokens) / rateOf(rateLimit, now, rules)) * 1_000, SHORTEST_WAIT_MS);
}

/** A probe is a request like any other, and has to be within the budget. */
function probe(
  rateLimit: RateLimit,
  now: number,
  rules: RateLimitRules,
): { rateLimit: RateLimit; admission: Admission } {
  const waitMs = untilMs(rateLimit.probeAt, now, rules.timeoutMs + PROBE_UP_TO_MS);
  if (waitMs > 0) return refused(rateLimit, waitMs);
  if (wholeTokens(rateLimit) === 0) return refused(rateLimit, tokenInMs(rateLimit, 0, now, rules));
  const probeAt = now + rules.timeoutMs + rateLimit.probeWaitMs;
  return {
    rateLimit: { ...spend(rateLimit, 1), probeAt },
    admission: { granted: 1, isProbe: true, waitMs: 0 },
  };
}

function refused(rateLimit: RateLimit, waitMs: number): { rateLimit: RateLimit; admission: Admission } {
  return { rateLimit, admission: { granted: 0, isProbe: false, waitMs: Math.max(waitMs, SHORTEST_WAIT_MS) } };
}

/** What polling leaves in the bucket, so that a refresh finds something even while every other request is due. */
function reserveOf(rate: number, rules: RateLimitRules): number {
  if (rules.maxRpm < RESERVED_FROM_RPM) return 0;
  const reserve = Math.max(1, Math.floor(burstOfBudget(rules.maxRpm) * RESERVED_SHARE));
  // A rate that was lowered takes long to save up: what is left must not stop the polling.
  return Math.floor((reserve * rate) / fullRate(rules));
}
