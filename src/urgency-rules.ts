import type { Config } from './config.ts';
import type { UrgencyRules } from './domain/urgency.ts';

const WATCH_FROM_MS = 30_000;
const WATCH_UP_TO_MS = 12 * 3_600_000;

/** How often to look, from the configuration: the sandbox's time runs faster, and the looks with it. */
export function urgencyRules({ pollIntervalMs, pollMinGapMs, lateWatchMs, speed }: Config): UrgencyRules {
  return {
    pollIntervalMs: Math.round(Math.max(pollIntervalMs, pollMinGapMs) / speed),
    lateWatchMs,
    watchFromMs: Math.round(WATCH_FROM_MS / speed),
    watchUpToMs: Math.round(WATCH_UP_TO_MS / speed),
  };
}
