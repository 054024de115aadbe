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
  type Pace,
  type PaceRules,
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
  pace: Pace,
  wanted: number,
  now: number,
  rules: PaceRules,
  isUrgent = false,
): { pace: Pace; admission: Admission } {
  const filled = refill(pace, now, rules);
  if (wanted <= 0) {
    const back = isUrgent ? spendUrgent(filled, wanted) : spend(filled, wanted);
    return { pace: back, admission: { granted: wanted, ...AT_ONCE } };
  }
  const pauseMs = untilMs(filled.pausedUntil, now, MAX_PAUSE_MS);
  if (pauseMs > 0) return refused(filled, pauseMs);
  if (filled.circuit !== 'closed') return probe(filled, now, rules);
  const kept = isUrgent ? 0 : reserveOf(rateOf(filled, now, rules), rules);
  const free = isUrgent ? Math.min(wholeTokens(filled), whole(filled.urgent)) : wholeTokens(filled) - kept;
  const granted = Math.min(Math.max(free, 0), wanted);
  const left = isUrgent ? spendUrgent(filled, granted) : spend(filled, granted);
  if (granted === wanted) return { pace: left, admission: { granted, ...AT_ONCE } };
  const waitMs = isUrgent ? waitForCallerMs(left, 1, now, rules) : tokenInMs(left, kept, now, rules);
  return { pace: left, admission: { granted, isProbe: false, waitMs } };
}

/** How long until callers who wait may make so many requests. */
export function waitForCallerMs(pace: Pace, requests: number, now: number, rules: PaceRules): number {
  const pauseMs = untilMs(pace.pausedUntil, now, MAX_PAUSE_MS);
  const shareMs = ((requests - pace.urgent) / callersRate(pace, now, rules)) * 1_000;
  return pauseMs + Math.max(shareMs, tokenInMs(pace, requests - 1, now, rules));
}

/** Requests a second that callers who wait may make, all together. */
export function callersRate(pace: Pace, now: number, rules: PaceRules): number {
  return URGENT_SHARE * rateOf(pace, now, rules);
}

/** Takes requests that were made already, also such as the budget does not have: later ones wait for them. */
export function overdraw(pace: Pace, requests: number, now: number, rules: PaceRules): Pace {
  return spend(refill(pace, now, rules), requests);
}

function refill(pace: Pace, now: number, rules: PaceRules): Pace {
  const rate = rateOf(pace, now, rules);
  const isOver = rate === fullRate(rules);
  const slowed = isOver ? null : pace.slowed;
  const refilledAt = latest(pace, now);
  if (rate === Number.POSITIVE_INFINITY) return { ...pace, slowed, tokens: rate, urgent: rate, refilledAt };
  const had = Number.isFinite(pace.tokens) ? pace.tokens : 0;
  const passedMs = Math.max(refilledAt - pace.refilledAt, 0);
  const tokens = Math.min(had + (rate * passedMs) / 1_000, burstOf(rate, rules));
  const urgent = urgentOf(pace, (URGENT_SHARE * rate * passedMs) / 1_000, burstOf(rate, rules));
  return { ...pace, slowed, tokens, urgent, refilledAt };
}

/** Without a limit there is nothing to spend. */
function spend(pace: Pace, requests: number): Pace {
  return Number.isFinite(pace.tokens) ? { ...pace, tokens: pace.tokens - requests } : pace;
}

function spendUrgent(pace: Pace, requests: number): Pace {
  const spent = spend(pace, requests);
  return Number.isFinite(pace.urgent) ? { ...spent, urgent: pace.urgent - requests } : spent;
}

function urgentOf({ urgent }: Pace, refilled: number, burst: number): number {
  return Math.min((Number.isFinite(urgent) ? urgent : 0) + refilled, burst);
}

function wholeTokens({ tokens }: Pace): number {
  return whole(tokens);
}

function whole(tokens: number): number {
  return Math.floor(Math.max(tokens, 0) + ROUNDING);
}

/** How long until there is one more than `kept`. */
function tokenInMs(pace: Pace, kept: number, now: number, rules: PaceRules): number {
  return Math.max(((kept + 1 - pace.tokens) / rateOf(pace, now, rules)) * 1_000, SHORTEST_WAIT_MS);
}

/** A probe is a request like any other, and has to be within the budget. */
function probe(pace: Pace, now: number, rules: PaceRules): { pace: Pace; admission: Admission } {
  const waitMs = untilMs(pace.probeAt, now, rules.timeoutMs + PROBE_UP_TO_MS);
  if (waitMs > 0) return refused(pace, waitMs);
  if (wholeTokens(pace) === 0) return refused(pace, tokenInMs(pace, 0, now, rules));
  const probeAt = now + rules.timeoutMs + pace.probeWaitMs;
  return {
    pace: { ...spend(pace, 1), probeAt },
    admission: { granted: 1, isProbe: true, waitMs: 0 },
  };
}

function refused(pace: Pace, waitMs: number): { pace: Pace; admission: Admission } {
  return { pace, admission: { granted: 0, isProbe: false, waitMs: Math.max(waitMs, SHORTEST_WAIT_MS) } };
}

/** What polling leaves in the bucket, so that a refresh finds something even while every other request is due. */
function reserveOf(rate: number, rules: PaceRules): number {
  if (rules.maxRpm < RESERVED_FROM_RPM) return 0;
  const reserve = Math.max(1, Math.floor(burstOfBudget(rules.maxRpm) * RESERVED_SHARE));
  // A rate that was lowered takes long to save up: what is left must not stop the polling.
  return Math.floor((reserve * rate) / fullRate(rules));
}
