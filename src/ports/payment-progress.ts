import type { LoggedDelivery } from './delivery-log.ts';

/** How far a payment is beyond its status: its polling, and what its destinations have acknowledged. */
export interface PaymentProgress {
  readonly quoteId: string;
  readonly lastPolledAt: Date | null;
  /** Null when it is not polled any more. */
  readonly nextPollAt: Date | null;
  /** One for each present endpoint that gets its events: the first that is not acknowledged, or else the last one. */
  readonly deliveries: readonly LoggedDelivery[];
  /** The same of the exchange; null without one, or before it got an event. */
  readonly exchange: LoggedDelivery | null;
}

/** The changes on payments without an event of theirs. */
export abstract class PaymentProgresses {
  /** In the order of the ids; without those of no payment. */
  abstract of(quoteIds: readonly string[]): Promise<PaymentProgress[]>;
}
