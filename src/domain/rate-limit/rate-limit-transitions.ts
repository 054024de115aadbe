import {
  fullRate,
  latest,
  MAX_PAUSE_MS,
  PROBE_UP_TO_MS,
  rateOf,
  type RateLimit,
  type RateLimitRules,
  type Slowed,
} from './rate-limit.ts';

const TOO_MANY_REQUESTS = 429;
const OVERLOADED = 503;
const SLOWER = 0.5;
/** The 429s to one burst of requests arrive within this time and count as one complaint. */
const COMPLAINT_MS = 1_500;
const SLOWEST_PER_S = 0.1;
/** A rate that is near its minimum already is lowered to this share of itself. */
const SLOWEST_SHARE = 0.1;
const PROBE_FROM_MS = 1_000;

/** 429: the provider works, and asks for fewer requests, which is no failure. */
export function isTooManyRequests(httpStatus: number | null): boolean {
  return httpStatus === TOO_MANY_REQUESTS;
}

/** A complaint: 429, or 503, which counts as a failure too. */
export function asksForFewer(httpStatus: number | null): boolean {
  return isTooManyRequests(httpStatus) || httpStatus === OVERLOADED;
}

/**
 * Reacts to a complaint about all requests: halves the rate at once, and pauses until the provider's Retry-After.
 * `demandPerSecond`, the requests a second that the payments need, stands for the rate if there was no limit.
 */
export function throttle(
  rateLimit: RateLimit,
  complaint: { readonly retryAfterMs: number | null; readonly demandPerSecond: number },
  now: number,
  rules: RateLimitRules,
): RateLimit {
  const { retryAfterMs, demandPerSecond } = complaint;
  const pausedUntil = Math.max(rateLimit.pausedUntil, now + Math.min(retryAfterMs ?? 0, MAX_PAUSE_MS));
  const isSameBurst = rateLimit.slowed !== null && Math.abs(now - rateLimit.slowed.at) < COMPLAINT_MS;
  if (isSameBurst) return { ...rateLimit, pausedUntil };
  const rate = rateOf(rateLimit, now, rules);
  const complainedOf = Math.min(rate, Math.max(demandPerSecond, 1));
  const slowest = Math.min(SLOWEST_PER_S, fullRate(rules) * SLOWEST_SHARE);
  const slowed: Slowed = {
    to: Math.max(complainedOf * SLOWER, slowest),
    from: Math.max(complainedOf, rateLimit.slowed?.from ?? 0),
    at: now,
  };
  return {
    ...rateLimit,
    pausedUntil,
    slowed,
    tokens: Math.min(rateLimit.tokens, 0),
    refilledAt: latest(rateLimit, now),
  };
}

/** Opens the circuit: the provider fails, or rejects our key. After a failed probe, the next one comes later. */
export function openCircuit(
  rateLimit: RateLimit,
  cause: 'open' | 'credentials',
  isProbe: boolean,
  now: number,
): RateLimit {
  if (rateLimit.circuit !== 'closed' && !isProbe) return rateLimit;
  const doubled = rateLimit.circuit === 'closed' ? PROBE_FROM_MS : rateLimit.probeWaitMs * 2;
  const probeWaitMs = Math.min(Math.max(doubled, PROBE_FROM_MS), PROBE_UP_TO_MS);
  return { ...rateLimit, circuit: cause, probeWaitMs, probeAt: now + probeWaitMs };
}

/** Closes the circuit: the provider answers again. Its complaints during the outage, such as 503s, are over too. */
export function closeCircuit(rateLimit: RateLimit): RateLimit {
  return rateLimit.circuit === 'closed'
    ? rateLimit
    : { ...rateLimit, circuit: 'closed', probeAt: 0, probeWaitMs: 0, slowed: null };
}
