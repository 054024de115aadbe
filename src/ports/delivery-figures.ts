import type { EndpointState } from '../domain/delivery/endpoint-state.ts';
import type { Untold } from './untold-payments.ts';

/**
 * Why the oldest unacknowledged delivery has not been delivered. `waiting`: no attempt yet; `failing`: attempts failed and will be
 * repeated; `circuit_open`: the endpoint fails and gets only probes; `disabled`: the endpoint is disabled, or was disabled when
 * the event was recorded.
 */
export type DelayCause = 'waiting' | 'failing' | 'circuit_open' | 'disabled';

/** The figures of the deliveries for operators. */
export interface DeliveriesNow {
  /** The age of the oldest undelivered event, for each destination and cause that has one. */
  readonly oldest: readonly {
    /** The kind of the destination. */
    readonly destination: string;
    readonly cause: DelayCause;
    readonly ageMs: number;
  }[];
  readonly endpoints: readonly { readonly state: EndpointState; readonly endpoints: number }[];
  /** Enabled endpoints whose secrets this process cannot decrypt. */
  readonly unreadableSecrets: number;
  readonly untold: Untold;
}

/** The reasons why enabled endpoints get no webhooks. */
export interface DeliveryTroubles {
  readonly unreadableSecrets: number;
  readonly untold: Untold;
  /** Endpoints with an open circuit and pending deliveries; null: there are none. */
  readonly openCircuits: {
    readonly endpoints: number;
    /** How many deliveries to these endpoints are pending, counted up to about 10,000. */
    readonly waiting: number;
    readonly isMore: boolean;
    /** When the oldest pending event was recorded. */
    readonly oldestAt: Date;
  } | null;
}

/** Figures of the deliveries of all replicas. Their cost does not grow with the backlog. */
export abstract class DeliveryFigures {
  abstract now(): Promise<DeliveriesNow>;
  abstract troubles(): Promise<DeliveryTroubles>;
  /** The number of overdue deliveries, counted up to 10,000. */
  abstract overdue(): Promise<number>;
}
