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

const SLOWER = 0.5;
/** A second of answers to requests of one burst is one complaint. */
const COMPLAINT_MS = 1_500;
const SLOWEST_PER_S = 0.1;
/** … of a budget that is not much more than that itself. */
const SLOWEST_SHARE = 0.1;
const LEAST_DEMAND_PER_S = 1;
const PROBE_FROM_MS = 1_000;

/**
 * The provider asks for less, by 429 or 503: half the rate at once, and nothing before its Retry-After.
 * `demandPerSecond`: the requests a second that the payments want, which without a limit is what was sent.
 */
export function throttle(
  rateLimit: RateLimit,
  complaint: { readonly retryAfterMs: number | null; readonly demandPerSecond: number },
  now: number,
  rules: RateLimitRules,
): RateLimit {
  const { retryAfterMs, demandPerSecond } = complaint;
  const pausedUntil = Math.max(rateLimit.pausedUntil, now + Math.min(retryAfterMs ?? 0, MAX_PAUSE_MS));
  const isKnown = rateLimit.slowed?.cause === 'asked' && now - rateLimit.slowed.at < COMPLAINT_MS;
  if (isKnown) return { ...rateLimit, pausedUntil };
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
 * Looks were not possible for a while (the provider failed, or nobody was here to look), and the backlog is let out
 * little faster than `demandPerSecond`, the looks a second that the payments want anyway. A slower pace stays.
 */
export function spread(
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

/** The provider fails, or does not take our key. A failed probe is followed by a later one. */
export function fail(
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

/** The provider works again. */
export function recover(rateLimit: RateLimit): RateLimit {
  return rateLimit.circuit === 'closed'
    ? rateLimit
    : { ...rateLimit, circuit: 'closed', probeAt: 0, probeWaitMs: 0 };
}
