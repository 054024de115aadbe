import type { EventType } from '../domain/event/event.ts';
import type { Counted } from './attention.ts';
import type { FailureClass } from './deliveries.ts';
import type { NamedDestination } from './untold-payments.ts';
import type { ListSort } from './list-sort.ts';

/** `failed`: its retry schedule is used up; `discarded`: its endpoint was deleted, or disabled at that time. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why a pending delivery is not sent now; `secret_unreadable`: this process cannot sign for its endpoint. */
export const DELIVERY_WAITS = [
  'earlier_event',
  'retry',
  'circuit',
  'disabled_endpoint',
  'secret_unreadable',
] as const;
export type DeliveryWait = (typeof DELIVERY_WAITS)[number];

/** A delivery of an event to a destination, as an operator sees it. */
export interface LoggedDelivery {
  readonly id: string;
  /** The id of the endpoint, or the kind if it has one target. */
  readonly endpointId: string;
  readonly destination: NamedDestination;
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly eventId: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly state: DeliveryState;
  /** The number of attempts made. */
  readonly attemptCount: number;
  readonly createdAt: Date;
  readonly lastAttemptAt: Date | null;
  /** The earliest time of the next attempt, never in the past; null when none is scheduled, or one is under way. */
  readonly nextAttemptAt: Date | null;
  readonly lastFailure: FailureClass | null;
  readonly lastHttpStatus: number | null;
  /** Null when nothing holds the delivery back, or it is not pending. */
  readonly waitingFor: DeliveryWait | null;
}

export interface LoggedAttempt {
  readonly number: number;
  readonly madeAt: Date;
  readonly durationMs: number;
  /** The address and port of the connection; null without a connection. */
  readonly address: string | null;
  readonly httpStatus: number | null;
  /** Null when the receiver acknowledged the event. */
  readonly failure: FailureClass | null;
  readonly code: string | null;
  /** The first KiB of the answer's body as text; null without an answer. */
  readonly excerpt: string | null;
}

export interface DeliveryDetail extends LoggedDelivery {
  /** The event's bytes, as CloudEvents JSON. */
  readonly eventText: string;
  /** The last hundred attempts, the newest last; for a kind that retries without end, the first twenty and the last one. */
  readonly attempts: readonly LoggedAttempt[];
}

/** `webhook`: deleted endpoints too; `existing`: only webhook endpoints that there are; `all`: also kinds that have one target. */
export const LISTED_DESTINATIONS = ['webhook', 'existing', 'all'] as const;
export type ListedDestinations = (typeof LISTED_DESTINATIONS)[number];

/** Conditions for deliveries: all must hold. */
export interface DeliveryConditions {
  /** A webhook endpoint, or a kind that has one target. */
  readonly endpointId?: string;
  /** Left out: `webhook`. */
  readonly destinations?: ListedDestinations;
  readonly quoteId?: string;
  readonly orderId?: string;
  /** Any of these states, each once. */
  readonly states?: readonly DeliveryState[];
  /** Whether a person has settled the payment otherwise. */
  readonly resolved?: boolean;
}

export interface DeliveryFilter extends DeliveryConditions {
  readonly sort?: ListSort;
  readonly limit: number;
  readonly cursor?: string;
}

/** The deliveries with their attempts, for operators. */
export abstract class DeliveryLog {
  /** The newest first, or the oldest. Throws InvalidCursor. */
  abstract list(filter: DeliveryFilter): Promise<{ deliveries: LoggedDelivery[]; nextCursor: string | null }>;
  /** The number of deliveries, exact up to MOST_COUNTED. Throws StoreUnavailable if the database takes too long. */
  abstract count(conditions: DeliveryConditions): Promise<Counted>;
  abstract find(id: string): Promise<DeliveryDetail | null>;
  /**
   * Makes a delivery due now, outside its schedule; if it waits for an earlier event, makes that event's delivery due instead.
   * An ended delivery becomes pending again and holds back no other. False when no delivery has this id. Throws
   * DeliveryDiscarded and WebhookEndpointDisabled.
   */
  abstract retry(id: string): Promise<boolean>;
}

/** The endpoint of this delivery was deleted. */
export class DeliveryDiscarded extends Error {
  readonly code = 'delivery_discarded';
  constructor() {
    super('The webhook endpoint of this delivery was deleted.');
  }
}
