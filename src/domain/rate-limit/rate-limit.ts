/** Set while fewer requests go out than the budget allows: a second, at `at` and, before all that, at `from`. */
export interface Slowed {
  readonly to: number;
  readonly from: number;
  readonly at: number;
  /** `asked`: the provider has asked for fewer; `backlog`: what piled up is let out gradually. */
  readonly cause: 'asked' | 'backlog';
}

/** How fast the provider may be asked, by all replicas together. Instants are milliseconds by one clock, the database's. */
export interface RateLimit {
  /** Requests that may be made at once. */
  readonly tokens: number;
  /** Of these, what callers who wait may take: the rest is left to polling. */
  readonly urgent: number;
  readonly refilledAt: number;
  readonly slowed: Slowed | null;
  /** Nothing is asked before: the provider's Retry-After. */
  readonly pausedUntil: number;
  /** `open`: the provider fails; `credentials`: it does not take our key. Only probes go out then. */
  readonly circuit: 'closed' | 'open' | 'credentials';
  readonly probeAt: number;
  readonly probeWaitMs: number;
}

export interface RateLimitRules {
  /** Requests a minute; 0: no limit. */
  readonly maxRpm: number;
  /** One request takes no longer: a probe that has not answered by then is lost, and the next one may go. */
  readonly timeoutMs: number;
}

const MINUTE_MS = 60_000;
/** A minute as a provider may count it: requests bunch up on their way, and taken ones are held for a moment. */
const COUNTED_MINUTE_MS = 62_500;
/** A budget of fewer has none to spare. */
export const RESERVED_FROM_RPM = 10;
/** What may go out at once: the share of a minute's budget, so that the rest of the minute is smooth. */
const BURST_SHARE = 0.02;
const STEP_MS = 5_000;
/** What the rate grows by with the first step; each later one is so much larger: 1.1, 1.1², 1.1³ … */
const STEP_FACTOR = 1.1;
/** A rate that is this much above the one complained of, for so many steps, is no less than what was asked for. */
export const FORGET_AT = 1.25;
const FORGET_STEPS = 9;
export const MAX_PAUSE_MS = 300_000;
export const PROBE_UP_TO_MS = 60_000;

export const INITIAL_RATE_LIMIT: RateLimit = {
  tokens: 0,
  urgent: 0,
  refilledAt: 0,
  slowed: null,
  pausedUntil: 0,
  circuit: 'closed',
  probeAt: 0,
  probeWaitMs: 0,
};

/** Requests a second that may be made now: the budget's or, after a complaint, less; Infinity without any limit. */
export function rateOf(rateLimit: RateLimit, now: number, rules: RateLimitRules): number {
  const full = fullRate(rules);
  if (rateLimit.slowed === null) return full;
  const steps = Math.floor(Math.max(now - rateLimit.slowed.at, 0) / STEP_MS);
  const most = FORGET_AT * rateLimit.slowed.from;
  const isForgotten = grown(rateLimit.slowed.to, steps - FORGET_STEPS) >= most;
  return isForgotten ? full : Math.min(grown(rateLimit.slowed.to, steps), most, full);
}

/** True when requests may go out without asking: nothing limits them. */
export function isFree(rateLimit: RateLimit, now: number, rules: RateLimitRules): boolean {
  return (
    rateLimit.circuit === 'closed' &&
    untilMs(rateLimit.pausedUntil, now, MAX_PAUSE_MS) === 0 &&
    rateOf(rateLimit, now, rules) === Number.POSITIVE_INFINITY
  );
}

/** Cautiously at first, and the faster the longer nobody complains. */
function grown(to: number, steps: number): number {
  return steps < 0 ? 0 : to * STEP_FACTOR ** ((steps * (steps + 1)) / 2);
}

/** Transactions that wait for each other may come with instants out of order: no time is counted twice. */
export function latest({ refilledAt }: RateLimit, now: number): number {
  // Another database took over, whose clock is behind: its time counts from now on.
  return refilledAt - now > MINUTE_MS ? now : Math.max(refilledAt, now);
}

/** How long until `at`; nothing when that is further away than it ever was set, by a clock that was put back since. */
export function untilMs(at: number, now: number, atMostMs: number): number {
  return at - now > atMostMs ? 0 : Math.max(at - now, 0);
}

/** A burst and a minute's refill together stay within the budget: the bucket gives whole requests only. */
export function fullRate({ maxRpm }: RateLimitRules): number {
  if (maxRpm === 0) return Number.POSITIVE_INFINITY;
  return ((maxRpm + 1 - burstOfBudget(maxRpm)) / COUNTED_MINUTE_MS) * 1_000;
}

export function burstOfBudget(maxRpm: number): number {
  return Math.max(maxRpm < RESERVED_FROM_RPM ? 1 : 2, Math.floor(maxRpm * BURST_SHARE));
}

export function burstOf(rate: number, { maxRpm }: RateLimitRules): number {
  const perMinute = maxRpm === 0 ? (rate * MINUTE_MS) / 1_000 : maxRpm;
  return burstOfBudget(perMinute);
}
