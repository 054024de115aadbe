import type { IntervalScale } from '../../src/domain/polling/interval-scale.ts';
import { JITTER, SPREAD_OUTAGES } from '../../src/domain/polling/spacing.ts';
import type { UrgencyClass } from '../../src/domain/polling/urgency.ts';

/** The rules of the schedule that PostgreSQL has, for the fake; rules-in-sql.test.ts compares the two. */

/** The intervals within which a payment that still awaits its deposit after its expiry is polled again. */
const PAST_EXPIRY_INTERVALS = 10;

/**
 * Scales an interval for a short budget. Only its first `upToMs` are scaled: the part beyond the usual interval of its class,
 * such as the wait for an expiry or a backoff, is long enough. `upToMs` is indexed by class; see scaleUpToMs. PostgreSQL has
 * the same rule in functions/scaled_interval.sql; rules-in-sql.test.ts compares the two.
 */
export function scaledMs(
  inMs: number,
  urgency: UrgencyClass,
  scale: IntervalScale,
  upToMs: readonly number[],
): number {
  return inMs + (scale[urgency] - 1) * Math.min(inMs, upToMs[urgency] ?? inMs);
}

/** The wait for the first poll: `spread` lengthens the interval and shortens the time that its scale adds. */
export function firstPollInMs(inMs: number, scaledInMs: number, spread: number): number {
  return scaledInMs * (1 - spread) + 2 * spread * inMs;
}

/**
 * When the poll after a claim is due, with a `random` number from 0 to 1. It counts from the last due time, since waiting
 * for a claim must lengthen no interval; a claim that is very late counts from now. The claims of PostgreSQL have the same
 * rule; rules-in-sql.test.ts compares the two.
 */
export function dueAfterClaim(
  dueAtMs: number,
  nowMs: number,
  scaledInMs: number,
  urgency: UrgencyClass,
  random: number,
): number {
  return nowMs - dueAtMs < scaledInMs / 2
    ? dueAtMs + scaledInMs * (1 + random * JITTER[urgency])
    : nowMs + scaledInMs * (0.5 + 0.5 * random);
}

/**
 * When a payment that was overdue after an outage of `outageMs` is polled, with a `random` number from 0 to 1. It is polled
 * within its interval, so that all such payments together need no more requests than usual. Intervals of the late watch are
 * longer than most outages: only payments whose turn came in the outage are overdue. Until these are polled, the late watch
 * needs half as many requests again. PostgreSQL has the same rule in
 * after-outage.ts; rules-in-sql.test.ts compares the two.
 */
export function dueAfterOutage(nowMs: number, scaledInMs: number, outageMs: number, random: number): number {
  return nowMs + random * Math.min(scaledInMs, SPREAD_OUTAGES * outageMs);
}

/**
 * The latest time for the next poll: `pollByMs`, or once that has passed, some intervals from now. Milliseconds since the
 * epoch. PostgreSQL has the same rule in functions/latest_poll.sql; rules-in-sql.test.ts compares the two.
 */
export function latestPoll(pollByMs: number, nowMs: number, intervalMs: number): number {
  return nowMs >= pollByMs ? nowMs + PAST_EXPIRY_INTERVALS * intervalMs : pollByMs;
}
