import {
  FORGET_AT,
  fullRate,
  latest,
  MAX_PAUSE_MS,
  PROBE_UP_TO_MS,
  rateOf,
  type Pace,
  type PaceRules,
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
  pace: Pace,
  complaint: { readonly retryAfterMs: number | null; readonly demandPerSecond: number },
  now: number,
  rules: PaceRules,
): Pace {
  const { retryAfterMs, demandPerSecond } = complaint;
  const pausedUntil = Math.max(pace.pausedUntil, now + Math.min(retryAfterMs ?? 0, MAX_PAUSE_MS));
  const isKnown = pace.slowed?.cause === 'asked' && now - pace.slowed.at < COMPLAINT_MS;
  if (isKnown) return { ...pace, pausedUntil };
  const rate = rateOf(pace, now, rules);
  const complainedOf = Math.min(rate, Math.max(demandPerSecond, 1));
  const slowest = Math.min(SLOWEST_PER_S, fullRate(rules) * SLOWEST_SHARE);
  const slowed: Slowed = {
    cause: 'asked',
    to: Math.max(complainedOf * SLOWER, slowest),
    from: Math.max(complainedOf, pace.slowed?.from ?? 0),
    at: now,
  };
  return { ...pace, pausedUntil, slowed, tokens: Math.min(pace.tokens, 0), refilledAt: latest(pace, now) };
}

/**
 * Looks were not possible for a while (the provider failed, or nobody was here to look), and the backlog is let out
 * little faster than `demandPerSecond`, the looks a second that the payments want anyway. A slower pace stays.
 */
export function spread(pace: Pace, demandPerSecond: number, now: number, rules: PaceRules): Pace {
  const from = Math.max(demandPerSecond, LEAST_DEMAND_PER_S);
  const to = FORGET_AT * from;
  if (rateOf(pace, now, rules) <= to) return pace;
  const slowed: Slowed = { cause: 'backlog', to, from, at: now };
  return { ...pace, slowed, tokens: Math.min(pace.tokens, 0), refilledAt: latest(pace, now) };
}

/** The provider fails, or does not take our key. A failed probe is followed by a later one. */
export function fail(pace: Pace, cause: 'open' | 'credentials', isProbe: boolean, now: number): Pace {
  if (pace.circuit !== 'closed' && !isProbe) return pace;
  const doubled = pace.circuit === 'closed' ? PROBE_FROM_MS : pace.probeWaitMs * 2;
  const probeWaitMs = Math.min(Math.max(doubled, PROBE_FROM_MS), PROBE_UP_TO_MS);
  return { ...pace, circuit: cause, probeWaitMs, probeAt: now + probeWaitMs };
}

/** The provider works again. */
export function recover(pace: Pace): Pace {
  return pace.circuit === 'closed' ? pace : { ...pace, circuit: 'closed', probeAt: 0, probeWaitMs: 0 };
}
