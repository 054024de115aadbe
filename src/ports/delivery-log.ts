import type { EventType } from '../domain/event/event.ts';
import type { FailureClass } from './deliveries.ts';

/** `failed`: its schedule is used up; `discarded`: its endpoint was deleted. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why a pending delivery does not go out now; `secret_unreadable`: this process can't sign for its endpoint. */
export const DELIVERY_WAITS = [
  'earlier_event',
  'retry',
  'circuit',
  'disabled_endpoint',
  'secret_unreadable',
] as const;
export type DeliveryWait = (typeof DELIVERY_WAITS)[number];

/** One event owed to one webhook endpoint, as an operator sees it. */
export interface LoggedDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly eventId: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly state: DeliveryState;
  /** Attempts that were made. */
  readonly attemptCount: number;
  readonly createdAt: Date;
  readonly lastAttemptAt: Date | null;
  /** The earliest, never in the past; null when none is scheduled, or one is under way. */
  readonly nextAttemptAt: Date | null;
  readonly lastFailure: FailureClass | null;
  readonly lastHttpStatus: number | null;
  /** Null when nothing keeps it from going out, or it is not pending. */
  readonly waitingFor: DeliveryWait | null;
}

/** One attempt that was made. */
export interface LoggedAttempt {
  readonly number: number;
  readonly madeAt: Date;
  readonly durationMs: number;
  /** The address and port that were connected to; null without a connection. */
  readonly address: string | null;
  readonly httpStatus: number | null;
  /** Null when it was acknowledged. */
  readonly failure: FailureClass | null;
  /** The first KiB of the answer's body; null without an answer. */
  readonly excerpt: Buffer | null;
}

export interface DeliveryDetail extends LoggedDelivery {
  /** The event's bytes, as CloudEvents JSON. */
  readonly eventText: string;
  /** The last hundred, the newest last. */
  readonly attempts: readonly LoggedAttempt[];
}

export interface DeliveryFilter {
  readonly endpointId?: string;
  readonly quoteId?: string;
  readonly orderId?: string;
  /** Any of these, each once. */
  readonly states?: readonly DeliveryState[];
  readonly limit: number;
  readonly cursor?: string;
}

/** Every delivery to webhook endpoints with its attempts, for those who look after them; never the exchange's. */
export abstract class DeliveryLog {
  /** Newest first. Throws InvalidCursor. */
  abstract list(filter: DeliveryFilter): Promise<{ deliveries: LoggedDelivery[]; nextCursor: string | null }>;
  abstract find(id: string): Promise<DeliveryDetail | null>;
  /**
   * Makes a delivery due now, beside its schedule; for one that waits for an earlier event that event's. One that ended
   * is pending again, and holds nothing back. False when there is none. Throws DeliveryDiscarded, WebhookEndpointDisabled.
   */
  abstract retry(id: string): Promise<boolean>;
}

/** The endpoint of this delivery is gone: there is nowhere to send it. */
export class DeliveryDiscarded extends Error {
  readonly code = 'delivery_discarded';
  constructor() {
    super('The webhook endpoint of this delivery was deleted.');
  }
}
