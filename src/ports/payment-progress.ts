import type { LoggedDelivery } from './delivery-log.ts';

/**
 * The facts about a payment's progress that are not in its status: its polling, and the acknowledgements of its destinations.
 */
export interface PaymentProgress {
  readonly quoteId: string;
  readonly lastPolledAt: Date | null;
  /** The time of the next poll; null when the payment is no longer polled. */
  readonly nextPollAt: Date | null;
  /**
   * One delivery for each present endpoint that gets the payment's events: the first one that is not acknowledged, or else the
   * last one.
   */
  readonly deliveries: readonly LoggedDelivery[];
  /** The same delivery for the exchange; null without an exchange, or before the exchange got an event. */
  readonly exchange: LoggedDelivery | null;
}

/** The progress of payments, which changes without events. */
export abstract class PaymentProgresses {
  /** The progress of payments in the order of the ids; leaves out ids without a payment. */
  abstract of(quoteIds: readonly string[]): Promise<PaymentProgress[]>;
}
