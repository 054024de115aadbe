import type { Destination, Failed, Outcome, OwedDelivery, Settlement } from '../ports/deliveries.ts';

/** Decides what becomes of a delivery after an attempt: done, again later, or given up. Pure but for the jitter. */
export function settle(
  delivery: OwedDelivery,
  outcome: Outcome,
  destination: Pick<Destination, 'retryInMs' | 'lanePatienceMs'>,
): Settlement {
  if (outcome.kind !== 'failed') return { delivery, outcome, retryInMs: null, holdsLane: true };
  const retryInMs = destination.retryInMs(delivery.retries + 1, outcome);
  return {
    delivery,
    outcome,
    retryInMs,
    holdsLane: holdsLane(delivery, outcome, destination.lanePatienceMs),
  };
}

/** An event that nobody wants, as far as can be told, must not keep back one that somebody waits for. */
function holdsLane({ failingMs }: OwedDelivery, { failure }: Failed, patienceMs: number | null): boolean {
  if (failure === 'unroutable') return false;
  return patienceMs === null || failingMs < patienceMs;
}
