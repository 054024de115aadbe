import type { Destination, Outcome, OwedDelivery, Settlement } from '../ports/deliveries.ts';

/** Decides what becomes of a delivery after an attempt: done, again later, or given up. Pure but for the jitter. */
export function settle(
  delivery: OwedDelivery,
  outcome: Outcome,
  destination: Pick<Destination, 'retryInMs' | 'lanePatienceMs'>,
  now: Date,
): Settlement {
  if (outcome.kind !== 'failed') return { delivery, outcome, retryInMs: null, holdsLane: true };
  const retryInMs = destination.retryInMs(delivery.attempts + 1, outcome.retryAfterMs);
  const { lanePatienceMs } = destination;
  const failingMs = now.getTime() - (delivery.firstAttemptAt ?? now).getTime();
  const holdsLane = lanePatienceMs === null || failingMs < lanePatienceMs;
  return { delivery, outcome, retryInMs, holdsLane };
}
