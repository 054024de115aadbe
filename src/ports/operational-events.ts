import type { CodeChange, ToldCode } from '../domain/attention/attention-changes.ts';
import type { Failed, Outcome } from './deliveries.ts';

/** One operational event for one endpoint. */
export interface OperationalDelivery {
  readonly eventId: string;
  readonly destinationId: string;
  readonly code: string;
  /** The event's bytes, as CloudEvents JSON. */
  readonly body: string;
}

/** The message for an endpoint: the change, and its event if the endpoint asked for the type. */
export interface Telling {
  readonly change: CodeChange;
  readonly delivery: OperationalDelivery | null;
}

/** A due delivery, claimed by this process. */
export interface DueOperational extends OperationalDelivery {
  readonly token: string;
  /** The number of earlier attempts. */
  readonly retries: number;
}

/** An enabled endpoint that asks for operational events. */
export interface Subscriber {
  readonly id: string;
  /** The event types that the endpoint asks for. */
  readonly types: readonly string[];
  readonly told: readonly ToldCode[];
}

/** Endpoints that ask for operational events, the messages that they have got, and the events on their way to them. */
export abstract class OperationalEvents {
  abstract subscribers(): Promise<readonly Subscriber[]>;
  /** Records the messages that `decide` returns for the endpoint's last messages. Only one process does so at a time. */
  abstract tell(
    destinationId: string,
    decide: (told: readonly ToldCode[]) => readonly Telling[],
  ): Promise<void>;
  /**
   * Claims due deliveries for `leaseMs`. Deliveries of one code to one endpoint go out in order; a failed delivery holds back
   * the next one for `patienceMs` after its recording.
   */
  abstract claim(limit: number, leaseMs: number, patienceMs: number): Promise<readonly DueOperational[]>;
  /** `retryInMs` null: no attempt follows. */
  abstract settle(due: DueOperational, retryInMs: number | null): Promise<void>;
  /** Postpones a delivery without counting an attempt. */
  abstract putOff(due: DueOperational, retryInMs: number): Promise<void>;
}

/** Sends events that are not about a payment to an endpoint, in the way of deliveries. */
export abstract class OperationalWebhooks {
  /** Always settles within little more than the time-out of webhooks. */
  abstract deliver(
    event: Pick<OperationalDelivery, 'destinationId' | 'eventId' | 'body'>,
    signal: AbortSignal,
  ): Promise<Outcome>;
  /** The wait before the next attempt; null after the last attempt. `retries` includes the failed attempt. */
  abstract retryInMs(retries: number, failed: Failed): number | null;
  abstract readonly lanePatienceMs: number;
  abstract readonly limits: { readonly timeoutMs: number };
}
