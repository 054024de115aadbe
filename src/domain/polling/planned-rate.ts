import { rateOf, type RateLimit, type RateLimitRules } from '../rate-limit/rate-limit.ts';

/** Intervals are scaled for the rate this far ahead: by then, a lowered rate limit may have grown again. */
const AHEAD_MS = 30_000;
/** Overdue payments are to be polled within this time, beside those that become due … */
const CATCH_UP_S = 60;
/** … which keep at least this share of the rate. */
const LEAST_SHARE = 0.75;

/** The requests a second to plan intervals for: the expected rate limit, less the requests for overdue payments. */
export function plannedRate(
  rateLimit: RateLimit,
  overdue: number,
  now: number,
  rules: RateLimitRules,
): number {
  const rate = rateOf(rateLimit, now + AHEAD_MS, rules);
  return rate === Number.POSITIVE_INFINITY ? rate : Math.max(rate - overdue / CATCH_UP_S, rate * LEAST_SHARE);
}
