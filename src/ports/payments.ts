import type { NewPayment, Tracking } from '../domain/payment/payment.ts';
import type { PaymentLabel } from '../domain/payment/relabel.ts';
import type { Report } from '../domain/payment/report.ts';
import type { Status } from '../domain/payment/status.ts';
import type { IdempotencyClaim } from './idempotency.ts';

/** A payment as it is told to the outside. `quoteText` and `reportText` are the provider's JSON, verbatim. */
export interface StoredPayment {
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly status: Status;
  readonly late: boolean;
  readonly sequence: number;
  readonly tracking: Tracking;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly updatedAt: Date;
  readonly lastPolledAt: Date | null;
  readonly nextPollAt: Date | null;
  readonly quoteText: string | null;
  readonly reportText: string | null;
  /** When the provider last said what `reportText` says; null without a report. */
  readonly reportedAt: Date | null;
}

export interface PaymentFilter {
  /** Any of these, each once. */
  readonly statuses?: readonly Status[];
  readonly orderId?: string;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly limit: number;
  readonly cursor?: string;
}

/** A part of a payment's events, as CloudEvents JSON texts. */
export interface PaymentEvents {
  readonly events: readonly string[];
  /** Null: these are the last. */
  readonly nextCursor: string | null;
}

export interface PaymentToAdd extends NewPayment {
  /** The provider's quote, verbatim; null for a quote that was made elsewhere. */
  readonly quoteText: string | null;
  /** A first report that is known already; applied in the same transaction as the creation. */
  readonly report: Report | null;
}

/** Stored payments: what was quoted, how it stands, what happened. */
export abstract class Payments {
  /**
   * Stores the payment with its `payment.created` event and what is owed of it, in one transaction, and completes
   * the idempotency claim in the same. A quote that is stored already stays as it is, but for its label; `isNew` tells.
   * Throws IdempotencyLost when the claim was taken over, ProviderUnavailable when the id is another quote's, and
   * PaymentRemoved when it is that of a payment that was removed.
   */
  abstract add(payment: PaymentToAdd, claim?: IdempotencyClaim): Promise<{ isNew: boolean }>;
  /**
   * Gives a payment this order id and metadata, null leaving what it has. What they set or change is told by one
   * `payment.updated`, in the same transaction. Nothing happens where there is no such payment.
   */
  abstract label(quoteId: string, label: PaymentLabel): Promise<void>;
  abstract find(quoteId: string): Promise<StoredPayment | null>;
  /** True for ever once a payment with this id was removed. */
  abstract wasRemoved(quoteId: string): Promise<boolean>;
  /** Newest first; fewer than `limit` where they are large. Throws InvalidCursor. */
  abstract list(filter: PaymentFilter): Promise<{ payments: StoredPayment[]; nextCursor: string | null }>;
  /** The payment's events in order, as many as fit a page; null when it is not known. Throws InvalidCursor. */
  abstract eventsOf(quoteId: string, cursor?: string | null): Promise<PaymentEvents | null>;
}

export class InvalidCursor extends Error {
  readonly code = 'invalid_cursor';
  readonly field = 'cursor';
  constructor() {
    super('This cursor was not made by this list.');
  }
}

/** Retention has removed the payment with this id: it is never tracked again, so that no event is told twice. */
export class PaymentRemoved extends Error {
  readonly code = 'payment_removed';
  /** 409 for who wants it tracked, 404 for who wants to read it. */
  constructor(readonly httpStatus: 404 | 409) {
    super('The payment with this id was removed after its retention; it is not tracked again.');
  }
}

/** The database does not answer; nothing was stored. */
export class StoreUnavailable extends Error {
  readonly code = 'database_unavailable';
  constructor(options?: ErrorOptions) {
    super('The database does not answer.', options);
  }
}
