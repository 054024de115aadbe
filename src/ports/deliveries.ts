import type { EventType } from '../domain/event.ts';

/** One event owed to one destination, claimed by this process. */
export interface OwedDelivery {
  readonly id: string;
  readonly token: string;
  readonly destinationId: string;
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly eventId: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly time: Date;
  /** The event's bytes, as CloudEvents JSON. */
  readonly body: string;
  /** Attempts made before this one. */
  readonly attempts: number;
  /** Of these, those that used up a wait of the retry schedule: one made early for a new event does not. */
  readonly retries: number;
  /** How long ago its first attempt was, by the database's clock; 0 before it. */
  readonly failingMs: number;
}

/** How an attempt ended, as an operator understands it. */
export type FailureClass =
  | 'timeout'
  | 'dns'
  | 'refused'
  | 'tls'
  | 'reset'
  | 'status'
  | 'redirect'
  | 'blocked_address'
  | 'too_large'
  | 'unroutable'
  | 'nack'
  | 'gone';

/** Outcomes are values: `deliver` never throws. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly httpStatus: number | null }
  | {
      readonly kind: 'failed';
      readonly failure: FailureClass;
      readonly httpStatus: number | null;
      readonly retryAfterMs: number | null;
    }
  /** The destination could not be tried at all: no attempt is used up. */
  | { readonly kind: 'held'; readonly retryInMs: number };

export type Failed = Extract<Outcome, { kind: 'failed' }>;

/** What becomes of a delivery after an attempt. */
export interface Settlement {
  readonly delivery: OwedDelivery;
  readonly outcome: Outcome;
  /** Wait until the next attempt; null: none follows (delivered, or the schedule is used up). */
  readonly retryInMs: number | null;
  /** False once it has failed for so long that later events of its payment no longer wait for it. */
  readonly holdsLane: boolean;
}

export interface Slots {
  readonly destinationId: string;
  /** How many of its deliveries may be claimed now. */
  readonly free: number;
}

/** What is owed to whom. In order per payment and destination; other payments and destinations never wait. */
export abstract class Deliveries {
  /** Claims due deliveries for `leaseMs`, at most `free` for each destination. */
  abstract claim(slots: readonly Slots[], leaseMs: number): Promise<OwedDelivery[]>;
  /** Commits outcomes in one transaction and makes the next of each lane due. */
  abstract settle(settlements: readonly Settlement[]): Promise<void>;
  /** Milliseconds until the next delivery to one of these is due: 0 when one is; null when none is owed. */
  abstract nextDueInMs(destinationIds: readonly string[]): Promise<number | null>;
}

/** A way of telling the world: webhook endpoints, or the RabbitMQ exchange. */
export abstract class Destination {
  abstract readonly kind: 'webhook' | 'rabbitmq';
  /** Attempts in flight at once, in all and for each target. */
  abstract readonly limits: {
    readonly total: number;
    readonly perTarget: number;
    readonly timeoutMs: number;
  };
  /** The ids of the targets that can be tried now; none while the broker is away. */
  abstract targets(): Promise<readonly string[]>;
  /** Makes one attempt. Always settles within `limits.timeoutMs` and a little. */
  abstract deliver(delivery: OwedDelivery, signal: AbortSignal): Promise<Outcome>;
  /** The wait before the next attempt; null when no further one is made. `retries` counts the one that failed. */
  abstract retryInMs(retries: number, failed: Failed): number | null;
  /** How long a failing event holds back the later events of its payment; null: as long as it is owed. */
  abstract readonly lanePatienceMs: number | null;
}

/** The id of the one destination that is the RabbitMQ exchange. */
export const EXCHANGE_DESTINATION_ID = '00000000-0000-4000-8000-00000000e0c0';
