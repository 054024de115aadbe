import type { Destination, Failed, Outcome, DueDelivery, Settlement } from '../../ports/deliveries.ts';
import type { Span } from '../../ports/tracer.ts';

/** An attempt that has ended, or was not made. Both times are of performance.now(). */
export interface EndedAttempt {
  readonly delivery: DueDelivery;
  readonly outcome: Outcome;
  readonly beganAt: number;
  readonly endedAt: number;
  /** Null: it is not traced. */
  readonly span: Span | null;
}

/** Decides whether a delivery is done, is retried later, or is given up. Pure except for the jitter. */
export function settleOutcome(
  { delivery, outcome, beganAt, endedAt }: EndedAttempt,
  destination: Pick<Destination, 'retryInMs' | 'lanePatienceMs'>,
  now: number,
): Settlement {
  const ended = { delivery, outcome, ageMs: now - beganAt, durationMs: endedAt - beganAt };
  if (outcome.kind !== 'failed') return { ...ended, retryInMs: null, holdsLane: true };
  const retryInMs =
    delivery.resumeInMs === null
      ? destination.retryInMs(delivery.retries + 1, outcome)
      : Math.round(Math.max(delivery.resumeInMs - ended.ageMs, 0));
  return { ...ended, retryInMs, holdsLane: holdsLane(delivery, outcome, destination.lanePatienceMs) };
}

/** When a delivery that stays pending is due again; null when it has ended. */
export function dueAgainInMs({ outcome, retryInMs }: Settlement): number | null {
  return outcome.kind === 'held' ? outcome.retryInMs : retryInMs;
}

/** An unroutable event has no consumer, so it must not hold back later events that have one. */
function holdsLane({ failingMs }: DueDelivery, { failure }: Failed, patienceMs: number | null): boolean {
  if (failure === 'unroutable') return false;
  return patienceMs === null || failingMs < patienceMs;
}
