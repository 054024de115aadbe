import type { DueDelivery, Outcome, Settlement } from '../../src/ports/deliveries.ts';

/** The outcome of an attempt that took some milliseconds, at a delivery that holds its lane. */
export function settled(
  delivery: DueDelivery,
  outcome: Outcome,
  retryInMs: number | null = null,
  more: Partial<Settlement> = {},
): Settlement {
  return {
    delivery,
    outcome,
    retryInMs,
    holdsLane: true,
    lanePatienceMs: null,
    ageMs: 5,
    durationMs: 3,
    ...more,
  };
}

export function done(delivery: DueDelivery): Settlement {
  return settled(delivery, { kind: 'delivered', httpStatus: 200 });
}

export function failed(delivery: DueDelivery, retryInMs: number | null, holdsLane = true): Settlement {
  const outcome = { kind: 'failed', failure: 'status', httpStatus: 500, retryAfterMs: null } as const;
  return settled(delivery, outcome, retryInMs, { holdsLane });
}
