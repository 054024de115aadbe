import type { Destination, Failed, Outcome, DueDelivery, Settlement } from '../../ports/deliveries.ts';

/** An attempt that has ended, or was not made; both times by performance.now(). */
export interface EndedAttempt {
  readonly delivery: DueDelivery;
  readonly outcome: Outcome;
  readonly beganAt: number;
  readonly endedAt: number;
}

/** Decides what becomes of a delivery after an attempt: done, again later, or given up. Pure but for the jitter. */
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

/** An event that nobody wants, as far as can be told, must not keep back one that somebody waits for. */
function holdsLane({ failingMs }: DueDelivery, { failure }: Failed, patienceMs: number | null): boolean {
  if (failure === 'unroutable') return false;
  return patienceMs === null || failingMs < patienceMs;
}
