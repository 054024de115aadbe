import {
  FORGET_AT,
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
const SLOWER = 0.5;
/** The 429s to one burst of requests arrive within this time and count as one complaint. */
const COMPLAINT_MS = 1_500;
const SLOWEST_PER_S = 0.1;
/** A budget near that minimum is lowered to this share of it. */
const SLOWEST_SHARE = 0.1;
const LEAST_DEMAND_PER_S = 1;
const PROBE_FROM_MS = 1_000;

/** The provider works, and asks for fewer requests: no failure. A 503 asks too, but counts as a failure. */
export function isTooManyRequests(httpStatus: number | null): boolean {
  return httpStatus === TOO_MANY_REQUESTS;
}

/**
 * The provider has answered 429 or 503: halves the rate at once, and pauses until its Retry-After.
 * `demandPerSecond`: the requests a second that the payments need, which is the rate when there was no limit.
 */
export function throttle(
  rateLimit: RateLimit,
  complaint: { readonly retryAfterMs: number | null; readonly demandPerSecond: number },
  now: number,
  rules: RateLimitRules,
): RateLimit {
  const { retryAfterMs, demandPerSecond } = complaint;
  const pausedUntil = Math.max(rateLimit.pausedUntil, now + Math.min(retryAfterMs ?? 0, MAX_PAUSE_MS));
  const agoMs = Math.abs(now - (rateLimit.slowed?.at ?? 0));
  const isSameBurst = rateLimit.slowed?.cause === 'asked' && agoMs < COMPLAINT_MS;
  if (isSameBurst) return { ...rateLimit, pausedUntil };
  const rate = rateOf(rateLimit, now, rules);
  const complainedOf = Math.min(rate, Math.max(demandPerSecond, 1));
  const slowest = Math.min(SLOWEST_PER_S, fullRate(rules) * SLOWEST_SHARE);
  const slowed: Slowed = {
    cause: 'asked',
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

/**
 * After a time without polls (the provider failed, or Paybell was down), limits the rate to little more than
 * `demandPerSecond`, the polls a second that the payments need anyway, and works the backlog off. Keeps a lower rate.
 */
export function spreadBacklog(
  rateLimit: RateLimit,
  demandPerSecond: number,
  now: number,
  rules: RateLimitRules,
): RateLimit {
  const from = Math.max(demandPerSecond, LEAST_DEMAND_PER_S);
  const to = FORGET_AT * from;
  if (rateOf(rateLimit, now, rules) <= to) return rateLimit;
  const slowed: Slowed = { cause: 'backlog', to, from, at: now };
  return { ...rateLimit, slowed, tokens: Math.min(rateLimit.tokens, 0), refilledAt: latest(rateLimit, now) };
}

/** The provider fails, or rejects our key. A failed probe schedules the next one later. */
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

/** The provider answers again. */
export function closeCircuit(rateLimit: RateLimit): RateLimit {
  return rateLimit.circuit === 'closed'
    ? rateLimit
    : { ...rateLimit, circuit: 'closed', probeAt: 0, probeWaitMs: 0 };
}
