import type { Config } from './config/config.ts';
import { GAP_SPARE, type UrgencyRules } from './domain/polling/urgency.ts';

const WATCH_FROM_MS = 30_000;
const WATCH_UP_TO_MS = 12 * 3_600_000;
/** Most who pay do so soon after the quote, or while they look at it. */
const ATTENDED_MS = 90_000;
/** How much more often than the others money in flight is looked at, where the gap allows that. */
const IN_FLIGHT_SHARE = 0.7;

/** How often to look, from the configuration: the sandbox's time runs faster, and the looks with it. */
export function urgencyRules({ pollIntervalMs, pollMinGapMs, lateWatchMs, speed }: Config): UrgencyRules {
  const intervalMs = Math.max(pollIntervalMs, pollMinGapMs * GAP_SPARE);
  return {
    pollIntervalMs: Math.round(intervalMs / speed),
    inFlightMs: Math.round(Math.max(IN_FLIGHT_SHARE * intervalMs, pollMinGapMs * GAP_SPARE) / speed),
    attendedMs: Math.round(ATTENDED_MS / speed),
    lateWatchMs: Math.round(lateWatchMs / speed),
    watchFromMs: Math.round(WATCH_FROM_MS / speed),
    watchUpToMs: Math.round(WATCH_UP_TO_MS / speed),
  };
}

/** After how long a standstill or a silence is told: of the sandbox's time where that runs faster. */
export function stalledAfterMs({ stalledAfterMs, speed }: Config): number {
  return Math.round(stalledAfterMs / speed);
}
