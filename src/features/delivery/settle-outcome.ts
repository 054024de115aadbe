import type { Destination, Outcome, DueDelivery, Settlement } from '../../ports/deliveries.ts';
import type { Span } from '../../ports/tracer.ts';

/** An attempt that has ended, or was not made. Both times are by the timers. */
export interface EndedAttempt {
  readonly delivery: DueDelivery;
  readonly outcome: Outcome;
  readonly beganAt: number;
  readonly endedAt: number;
  /** Null: it is not traced. */
  readonly span: Span | null;
}

/** The outcome of a delivery that is returned without an attempt. */
export const RETURNED: Outcome = { kind: 'held', retryInMs: 0 };

/** Decides whether a delivery is done, is retried later, or is given up. Pure except for the jitter. */
export function settleOutcome(
  { delivery, outcome, beganAt, endedAt }: EndedAttempt,
  destination: Pick<Destination, 'retryInMs' | 'lanePatienceMs'>,
  now: number,
): Settlement {
  const { lanePatienceMs } = destination;
  const ended = { delivery, outcome, ageMs: now - beganAt, durationMs: endedAt - beganAt, lanePatienceMs };
  if (outcome.kind !== 'failed') return { ...ended, retryInMs: null, holdsLane: true };
  const retryInMs =
    delivery.resumeInMs === null
      ? destination.retryInMs(delivery.retries + 1, outcome)
      : Math.round(Math.max(delivery.resumeInMs - ended.ageMs, 0));
  // An unroutable event has no consumer, so that it must not hold back later events with a consumer.
  return { ...ended, retryInMs, holdsLane: outcome.failure !== 'unroutable' };
}

/** When a delivery that stays pending is due again; null when it has ended. */
export function dueAgainInMs({ outcome, retryInMs }: Settlement): number | null {
  return outcome.kind === 'held' ? outcome.retryInMs : retryInMs;
}
