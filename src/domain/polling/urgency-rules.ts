import { claimGapMs, type UrgencyRules } from './urgency.ts';

const WATCH_FROM_MS = 30_000;
const WATCH_UP_TO_MS = 12 * 3_600_000;
/** Most buyers pay soon after the quote, or while they watch its page. */
const ATTENDED_MS = 90_000;
const BACKOFF_UP_TO_MS = 60_000;
/** Money in flight is polled at this share of the usual interval, where the gap between two polls allows it. */
const IN_FLIGHT_SHARE = 0.7;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A provider that withdraws a completion usually does it early. */
const AFTER_COMPLETION_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];

/** Durations are milliseconds; `speed` divides each: the sandbox's time can run faster or slower. */
export interface PollingTimes {
  readonly pollIntervalMs: number;
  readonly pollMinGapMs: number;
  readonly lateWatchMs: number;
  readonly stalledAfterMs: number;
  readonly speed: number;
}

/** How often each class of payments is polled. */
export function urgencyRules({
  pollIntervalMs,
  pollMinGapMs,
  lateWatchMs,
  speed,
}: PollingTimes): UrgencyRules {
  const gapMs = claimGapMs(pollMinGapMs);
  const intervalMs = Math.max(pollIntervalMs, gapMs);
  return {
    gapMs: Math.round(gapMs / speed),
    pollIntervalMs: Math.round(intervalMs / speed),
    inFlightMs: Math.round(Math.max(IN_FLIGHT_SHARE * intervalMs, gapMs) / speed),
    attendedMs: Math.round(ATTENDED_MS / speed),
    lateWatchMs: Math.round(lateWatchMs / speed),
    watchFromMs: Math.round(WATCH_FROM_MS / speed),
    watchUpToMs: Math.round(WATCH_UP_TO_MS / speed),
    afterCompletionMs: AFTER_COMPLETION_MS.map((ms) => Math.round(ms / speed)),
    backoffUpToMs: Math.round(BACKOFF_UP_TO_MS / speed),
  };
}

/** How long without a change or an answer before an event reports a stall. */
export function stalledAfterMs({ stalledAfterMs, speed }: PollingTimes): number {
  return Math.round(stalledAfterMs / speed);
}

/** No payment is polled twice within this time, except by immediate polls. */
export function minGapMs({ pollMinGapMs, speed }: PollingTimes): number {
  return Math.round(pollMinGapMs / speed);
}
