import { isMoneyInFlight, type Status } from '../../src/domain/payment/status.ts';
import type { Observations, Sighting } from './observations.ts';

/** How long after they happened the poller found changes. */
export interface Delays {
  readonly count: number;
  readonly meanMs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

const WITHOUT_DEPOSIT = new Set<Status>(['AWAITING_DEPOSIT', 'EXPIRED']);

/** The changes that a row of the table covers. */
export const CHANGES = {
  to: (status: Status) => (each: Sighting) => !each.isLate && each.status === status,
  outOfExecuting: (each: Sighting) => !each.isLate && each.from === 'EXECUTING',
  intoExecuting: (each: Sighting) => !each.isLate && each.status === 'EXECUTING',
  afterDeposit: (each: Sighting) => !each.isLate && !WITHOUT_DEPOSIT.has(each.status),
  afterDepositItself: (each: Sighting) => CHANGES.afterDeposit(each) && each.from !== 'AWAITING_DEPOSIT',
  ofKnownDeposits: (each: Sighting) => !each.isLate && isMoneyInFlight(each.known),
  late: (each: Sighting) => each.isLate,
  afterOutage: (each: Sighting) => each.isAfterOutage && CHANGES.afterDeposit(each),
} as const;

/** Delays of changes outside of troubles: no poller finds anything during an outage. */
export function delaysOf({ sightings }: Observations, isMeant: (each: Sighting) => boolean): Delays {
  return summarise(sightings.filter((each) => !each.isTroubled && isMeant(each)));
}

/** All delays, troubles included. */
export function allDelaysOf({ sightings }: Observations, isMeant: (each: Sighting) => boolean): Delays {
  return summarise(sightings.filter(isMeant));
}

function summarise(sightings: readonly Sighting[]): Delays {
  const sorted = sightings.map(({ delayMs }) => delayMs).sort((a, b) => a - b);
  const sum = sorted.reduce((total, delayMs) => total + delayMs, 0);
  const at = (share: number): number =>
    sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
  return { count: sorted.length, meanMs: sum / sorted.length, medianMs: at(0.5), p99Ms: at(0.99) };
}
