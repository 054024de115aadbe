import type { DestinationKind } from './deliveries.ts';

/**
 * Why the oldest event that a destination is owed has not been delivered. `waiting`: it was not tried yet; `failing`: it
 * was, and will be again; `circuit_open`: the endpoint fails and is only probed; `disabled`: the endpoint is.
 */
export type DelayCause = 'waiting' | 'failing' | 'circuit_open' | 'disabled';

/** One endpoint is in one state. `enabled`: it takes events; `circuit_open` and `recovering`: it is enabled, and failed. */
export type EndpointState = 'enabled' | 'circuit_open' | 'recovering' | 'disabled';

/** What operators see of the deliveries. */
export interface DeliveriesNow {
  /** How long ago the oldest undelivered event happened, by destination and cause; without those that have none. */
  readonly oldest: readonly {
    readonly destination: DestinationKind;
    readonly cause: DelayCause;
    readonly ageMs: number;
  }[];
  readonly endpoints: readonly { readonly state: EndpointState; readonly endpoints: number }[];
  /** Enabled endpoints whose secrets this process can't decrypt. */
  readonly unreadableSecrets: number;
}

/** Why endpoints get no webhooks, though they are enabled. */
export interface DeliveryTroubles {
  readonly unreadableSecrets: number;
  /** Endpoints with an open circuit that are owed something; null: there are none. */
  readonly openCircuits: {
    readonly endpoints: number;
    /** How many deliveries wait for them, counted up to about 10,000. */
    readonly waiting: number;
    readonly isMore: boolean;
    /** When the oldest of them was recorded. */
    readonly oldestAt: Date;
  } | null;
}

/** How the deliveries of all replicas do. Cheap however long the backlog is. */
export abstract class DeliveryFigures {
  abstract now(): Promise<DeliveriesNow>;
  abstract troubles(): Promise<DeliveryTroubles>;
}
