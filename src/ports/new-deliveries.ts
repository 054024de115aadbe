import type { DueDelivery, LeaseOffer } from './deliveries.ts';

/** Deliveries that were inserted with the events of a committed transaction. */
export interface NewDeliveries {
  /** Those that were inserted already leased, as this process offered. */
  readonly leased: readonly DueDelivery[];
  /** The destinations of others that are due. */
  readonly dueTargets: readonly string[];
  /** When the lease was asked for, by the timers. */
  readonly since: number;
}

/** The deliveries that a call which records events leaves to the dispatchers of its process. */
export interface Deliverable {
  /** Null: it has recorded no event. */
  readonly deliveries: NewDeliveries | null;
}

/** For a process without dispatchers: new deliveries are claimed by those of another one. */
export const NO_OFFERS: readonly LeaseOffer[] = [];
