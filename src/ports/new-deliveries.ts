import type { DueDelivery, LeaseOffer } from './deliveries.ts';

/** Deliveries that were inserted with the events of a committed transaction. */
export interface NewDeliveries {
  /** Deliveries that were inserted already leased, as this process offered. */
  readonly leased: readonly DueDelivery[];
  /** Destinations with other deliveries that are due. */
  readonly dueTargets: readonly string[];
  /** When the lease was requested, by the timers. */
  readonly since: number;
}

/** New deliveries that a recording call leaves to the dispatchers of its process. */
export interface Deliverable {
  /** Null: no event was recorded. */
  readonly deliveries: NewDeliveries | null;
}

/** The offers of a process without dispatchers: dispatchers of another process claim its new deliveries. */
export const NO_OFFERS: readonly LeaseOffer[] = [];
