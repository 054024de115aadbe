import { rateOf, type RateLimit, type RateLimitRules } from '../rate-limit/rate-limit.ts';

/** What is stretched now is looked at later: by then a pace that was slowed has grown again. */
const AHEAD_MS = 30_000;
/** What is overdue is to be caught up with in this time, beside what becomes due … */
const CATCH_UP_S = 60;
/** … for which this share of the rate is left in any case. */
const LEAST_SHARE = 0.75;

/** The looks a second to plan intervals for: what the pace will allow, less what it takes to catch up with the overdue. */
export function plannedRate(
  rateLimit: RateLimit,
  overdue: number,
  now: number,
  rules: RateLimitRules,
): number {
  const rate = rateOf(rateLimit, now + AHEAD_MS, rules);
  return rate === Number.POSITIVE_INFINITY ? rate : Math.max(rate - overdue / CATCH_UP_S, rate * LEAST_SHARE);
}
