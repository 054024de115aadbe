import type { IntervalScale } from './interval-scale.ts';
import type { UrgencyClass, UrgencyRules } from './urgency.ts';

const ANY_MS = 1e12;

/**
 * An interval as a short budget stretches it: what goes beyond the usual interval of its class, such as the way to an
 * expiry or a payment's own backoff, is long enough as it is. `upToMs` is indexed by class, as scaleUpToMs has it.
 */
export function scaledMs(
  inMs: number,
  urgency: UrgencyClass,
  scale: IntervalScale,
  upToMs: readonly number[],
): number {
  return inMs + (scale[urgency] - 1) * Math.min(inMs, upToMs[urgency] ?? inMs);
}

/** How much of an interval is stretched, indexed by class: of the late watch any. */
export function scaleUpToMs({ inFlightMs, pollIntervalMs }: UrgencyRules): readonly number[] {
  return [inFlightMs, pollIntervalMs, pollIntervalMs, ANY_MS];
}

/** By up to this share intervals vary, indexed by class: what was made in one second does not stay in step. */
export const JITTER = [0, 0.04, 0.04, 0.04] as const;
/** The first look is spread over this share of an interval: nobody pays at once, and many quotes come at once. */
export const FIRST_POLL_SPREAD = 0.5;

/** How long a due payment of each class waits for the more pressing ones, in intervals: none waits for ever. */
const SLACK_INTERVALS = [0, 0.5, 1, 10] as const;

/** The same in milliseconds, indexed by class: payments are claimed in the order of due time plus this. */
export function claimSlackMs(intervalMs: number): readonly number[] {
  return SLACK_INTERVALS.map((intervals) => intervals * intervalMs);
}
