import type { UrgencyRules } from './urgency.ts';

const ANY_MS = 1e12;

/** How much of an interval is scaled, indexed by class: in the late watch the whole interval. */
export function scaleUpToMs({ inFlightMs, pollIntervalMs }: UrgencyRules): readonly number[] {
  return [inFlightMs, pollIntervalMs, pollIntervalMs, ANY_MS];
}

/** The longest time that a claim may wait for its request. */
export const MAX_CLAIM_WAIT_MS = 1_000;

/**
 * The time after a claim from which the next poll is far enough from the former one, although that claim may have waited for
 * its request.
 */
export function apartMs({ inFlightMs }: Pick<UrgencyRules, 'inFlightMs'>): number {
  return inFlightMs + MAX_CLAIM_WAIT_MS;
}

/** The random share that is added to an interval, indexed by class: it spreads payments of the same second. */
export const JITTER = [0, 0.04, 0.04, 0.04] as const;
/** The first poll is spread over this share of an interval: quotes come in bursts, and no payer pays at once. */
export const FIRST_POLL_SPREAD = 0.5;
/** Further hints about a payment within this time have no effect. */
export const HINT_LASTS_MS = 15_000;
/** Any number of notices never causes two claims of one payment closer together than this. */
export const MADE_DUE_GAP_MS = 1_000;
/**
 * A scale that shrinks below this share of the former one brings delayed polls forward. A smaller change takes effect with
 * the next claims.
 */
export const SHRUNK_SHARE = 0.8;

/** Payments that were overdue after an outage are polled within this many times the outage's length. */
export const SPREAD_OUTAGES = 2;

/**
 * How many intervals a due payment of each class lets more urgent ones go first. The limit prevents starvation. The late
 * watch has intervals of minutes to hours: after a time of few polls it must not overtake the open payments.
 */
const SLACK_INTERVALS = [0, 0.5, 1, 60] as const;

/** The slack in milliseconds, indexed by class: payments are claimed in the order of (due time + slack). */
export function claimSlackMs(intervalMs: number): readonly number[] {
  return SLACK_INTERVALS.map((intervals) => intervals * intervalMs);
}
