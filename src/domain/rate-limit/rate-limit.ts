/**
 * A rate below the budget because the provider asked for fewer requests: lowered from `from` to `to` requests a second at the
 * time `at`.
 */
export interface Slowed {
  readonly to: number;
  readonly from: number;
  readonly at: number;
}

/** The rate limit and circuit of the provider, shared by all replicas. Instants are milliseconds of the database's clock. */
export interface RateLimit {
  /** Requests that may be sent at once. */
  readonly tokens: number;
  /** The tokens that waiting callers may take; polling keeps the rest. */
  readonly urgent: number;
  readonly refilledAt: number;
  readonly slowed: Slowed | null;
  /** No request is sent before this time, by the provider's Retry-After. */
  readonly pausedUntil: number;
  /** `open`: the provider fails; `credentials`: it rejects our key. In both states only probes are sent. */
  readonly circuit: 'closed' | 'open' | 'credentials';
  readonly probeAt: number;
  readonly probeWaitMs: number;
}

export interface RateLimitRules {
  /** Requests a minute; 0: no limit. */
  readonly maxRpm: number;
  /** The time-out of a request: a probe without an answer by then is lost, and the next one may be sent. */
  readonly timeoutMs: number;
}

const MINUTE_MS = 60_000;
/** A minute with a margin: network delays may bunch requests, and replicas hold granted requests for a moment. */
const COUNTED_MINUTE_MS = 62_500;
/** Smaller budgets keep no reserve for callers. */
export const RESERVED_FROM_RPM = 10;
/** The size of a burst, as a share of a minute's budget; the rest of the minute is smooth. */
const BURST_SHARE = 0.02;
const STEP_MS = 5_000;
/** The factor by which a lowered rate grows in the first step; later steps grow it by 1.1², 1.1³ … */
const STEP_FACTOR = 1.1;
/**
 * The full budget applies again once the rate has stayed above the rate of the complaint by this factor for this number of
 * steps.
 */
const FORGET_AT = 1.25;
const FORGET_STEPS = 9;
/** The longest pause of any provider. A pause that seems to end later shows that a clock was set back. */
export const MAX_PAUSE_MS = 600_000;
const MAX_AHEAD_MS = 60_000;
export const PROBE_UP_TO_MS = 60_000;

/** The requests a second that are allowed now: the budget, or less after a complaint; Infinity without a limit. */
export function rateOf(rateLimit: RateLimit, now: number, rules: RateLimitRules): number {
  const full = fullRate(rules);
  // A time in the future means that a clock was set back since.
  if (rateLimit.slowed === null || rateLimit.slowed.at - now > MAX_AHEAD_MS) return full;
  const steps = Math.floor(Math.max(now - rateLimit.slowed.at, 0) / STEP_MS);
  const most = FORGET_AT * rateLimit.slowed.from;
  const isForgotten = grown(rateLimit.slowed.to, steps - FORGET_STEPS) >= most;
  return isForgotten ? full : Math.min(grown(rateLimit.slowed.to, steps), most, full);
}

/** The share of the rate that waiting callers may use at most; polling keeps the rest. */
export const CALLERS_SHARE = 0.5;

/** True when nothing limits requests: they may be sent without taking tokens. */
export function isFree(rateLimit: RateLimit, now: number, rules: RateLimitRules): boolean {
  return (
    rateLimit.circuit === 'closed' &&
    pausedForMs(rateLimit, now) === 0 &&
    rateOf(rateLimit, now, rules) === Number.POSITIVE_INFINITY
  );
}

/** Grows slowly at first, and faster the longer the provider does not complain. */
function grown(to: number, steps: number): number {
  return steps < 0 ? 0 : to * STEP_FACTOR ** ((steps * (steps + 1)) / 2);
}

/**
 * The later of two instants: transactions that wait for each other may use their instants out of order, and no time counts
 * twice.
 */
export function latest({ refilledAt }: RateLimit, now: number): number {
  // After a failover the new database's clock may be behind: continue from its time.
  return refilledAt - now > MINUTE_MS ? now : Math.max(refilledAt, now);
}

/** How long until `at`; 0 when `at` is further away than `atMostMs`, which only a clock that was set back can cause. */
export function untilMs(at: number, now: number, atMostMs: number): number {
  return at - now > atMostMs ? 0 : Math.max(at - now, 0);
}

/** The refill rate at which a burst and a minute's refill stay within the budget; the bucket grants whole requests. */
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

/** How long no request may be sent because the provider has asked for a pause; 0: there is no pause. */
export function pausedForMs({ pausedUntil }: Pick<RateLimit, 'pausedUntil'>, now: number): number {
  return untilMs(pausedUntil, now, MAX_PAUSE_MS);
}
