import {
  burstOf,
  burstOfBudget,
  CALLERS_SHARE,
  fullRate,
  latest,
  pausedForMs,
  PROBE_UP_TO_MS,
  rateOf,
  RESERVED_FROM_RPM,
  untilMs,
  type RateLimit,
  type RateLimitRules,
} from './rate-limit.ts';

/** How many requests the bucket grants now. */
export interface Admission {
  readonly granted: number;
  /** True for the one request that probes whether the provider works again. */
  readonly isProbe: boolean;
  /** How long to wait before asking for more, when fewer than wanted were granted. */
  readonly waitMs: number;
}

const RESERVED_SHARE = 0.25;
const SHORTEST_WAIT_MS = 20;
/** Rounding error of adding up many small refills. */
const ROUNDING = 1e-6;
const AT_ONCE = { isProbe: false, waitMs: 0 } as const;

/**
 * Takes up to `wanted` requests; a negative number returns requests. Only waiting callers (`isUrgent`) may take the reserve.
 */
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
  const pauseMs = pausedForMs(filled, now);
  if (pauseMs > 0) return refused(filled, pauseMs);
  if (filled.circuit !== 'closed') return takeProbe(filled, now, rules);
  const kept = isUrgent ? 0 : reserveOf(filled, now, rules);
  const free = isUrgent ? freeForCallers(filled) : wholeTokens(filled) - kept;
  const granted = Math.min(Math.max(free, 0), wanted);
  const left = isUrgent ? spendUrgent(filled, granted) : spend(filled, granted);
  if (granted === wanted) return { rateLimit: left, admission: { granted, ...AT_ONCE } };
  const waitMs = isUrgent ? waitForCallerMs(left, 1, now, rules) : tokenInMs(left, kept, now, rules);
  return { rateLimit: left, admission: { granted, isProbe: false, waitMs } };
}

/** Returns how long until waiting callers may send this number of requests. */
export function waitForCallerMs(
  rateLimit: RateLimit,
  requests: number,
  now: number,
  rules: RateLimitRules,
): number {
  const pauseMs = pausedForMs(rateLimit, now);
  const { urgent } = rateLimit;
  const shareMs = Number.isFinite(urgent)
    ? ((requests - urgent) / callersRate(rateLimit, now, rules)) * 1_000
    : 0;
  return pauseMs + Math.max(shareMs, tokenInMs(rateLimit, requests - 1, now, rules));
}

/** Requests a second that all waiting callers together may send. */
export function callersRate(rateLimit: RateLimit, now: number, rules: RateLimitRules): number {
  return CALLERS_SHARE * rateOf(rateLimit, now, rules);
}

/** Takes requests that were sent already, even beyond the budget: later requests wait until the balance is positive. */
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
  const urgent = urgentOf(rateLimit, passedMs, now, rules);
  return { ...rateLimit, slowed, tokens, urgent, refilledAt };
}

/** Without a limit, no tokens are counted. */
function spend(rateLimit: RateLimit, requests: number): RateLimit {
  return Number.isFinite(rateLimit.tokens)
    ? { ...rateLimit, tokens: rateLimit.tokens - requests }
    : rateLimit;
}

function spendUrgent(rateLimit: RateLimit, requests: number): RateLimit {
  const spent = spend(rateLimit, requests);
  return Number.isFinite(rateLimit.urgent) ? { ...spent, urgent: rateLimit.urgent - requests } : spent;
}

function urgentOf(rateLimit: RateLimit, passedMs: number, now: number, rules: RateLimitRules): number {
  const rate = callersRate(rateLimit, now, rules);
  if (rate === Number.POSITIVE_INFINITY) return rate;
  const had = Number.isFinite(rateLimit.urgent) ? rateLimit.urgent : 0;
  return Math.min(had + (rate * passedMs) / 1_000, burstOf(rateOf(rateLimit, now, rules), rules));
}

function freeForCallers(rateLimit: RateLimit): number {
  return Math.min(wholeTokens(rateLimit), whole(rateLimit.urgent));
}

function wholeTokens({ tokens }: RateLimit): number {
  return whole(tokens);
}

function whole(tokens: number): number {
  return Math.floor(Math.max(tokens, 0) + ROUNDING);
}

/** How long until the bucket has one token more than `kept`. */
function tokenInMs(rateLimit: RateLimit, kept: number, now: number, rules: RateLimitRules): number {
  if (!Number.isFinite(rateLimit.tokens)) return SHORTEST_WAIT_MS;
  return Math.max(((kept + 1 - rateLimit.tokens) / rateOf(rateLimit, now, rules)) * 1_000, SHORTEST_WAIT_MS);
}

/** A probe takes a token like any other request. */
function takeProbe(
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

/** The tokens that polling leaves in the bucket: a refresh finds one even while many payments are due. */
function reserveOf(rateLimit: RateLimit, now: number, rules: RateLimitRules): number {
  if (rules.maxRpm < RESERVED_FROM_RPM) return 0;
  const reserve = Math.max(1, Math.floor(burstOfBudget(rules.maxRpm) * RESERVED_SHARE));
  // A lowered rate refills slowly: scale the reserve down, so that it does not stop the polling.
  return Math.floor((reserve * rateOf(rateLimit, now, rules)) / fullRate(rules));
}
