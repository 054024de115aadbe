import type { Destination, Outcome, OwedDelivery, Settlement } from '../ports/deliveries.ts';

/** Decides what becomes of a delivery after an attempt: done, again later, or given up. Pure but for the jitter. */
export function settle(
  delivery: OwedDelivery,
  outcome: Outcome,
  destination: Pick<Destination, 'retryInMs' | 'lanePatienceMs'>,
): Settlement {
  if (outcome.kind !== 'failed') return { delivery, outcome, retryInMs: null, holdsLane: true };
  const retryInMs = destination.retryInMs(delivery.retries + 1, outcome.retryAfterMs);
  const { lanePatienceMs } = destination;
  const holdsLane = lanePatienceMs === null || delivery.failingMs < lanePatienceMs;
  return { delivery, outcome, retryInMs, holdsLane };
}
