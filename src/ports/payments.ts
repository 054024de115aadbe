import type { Match } from '../domain/payment/amounts.ts';
import type { NewPayment, Resolution, StallReason, Tracking } from '../domain/payment/payment.ts';
import type { Report } from '../domain/payment/report.ts';
import type { Settlement } from '../domain/transitions/resolve.ts';
import type { Status } from '../domain/payment/status.ts';
import type { Verification, VerificationState } from '../domain/proof/verification.ts';
import type { ListedNeed } from '../domain/attention/payment-troubles.ts';
import type { Counted } from './attention.ts';
import type { LeaseOffer } from './deliveries.ts';
import type { IdempotencyClaim } from './idempotency.ts';
import type { Labelled, LabelToSet } from './labels.ts';
import type { ListSort } from './list-sort.ts';
import type { Deliverable } from './new-deliveries.ts';
import type { RequestSpan } from './tracer.ts';

/** A stored payment, as the API shows it. `quoteText` and `reportText` are the provider's JSON, verbatim. */
export interface StoredPayment {
  readonly quoteId: string;
  /** The name of the provider that carries it. */
  readonly provider: string;
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly status: Status;
  readonly late: boolean;
  readonly sequence: number;
  readonly tracking: Tracking;
  readonly stalls: readonly StallReason[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly updatedAt: Date;
  readonly lastPolledAt: Date | null;
  readonly nextPollAt: Date | null;
  readonly quoteText: string | null;
  readonly reportText: string | null;
  /** When the provider last confirmed `reportText`; null without a report. */
  readonly reportedAt: Date | null;
  /** How the deposit compares with the requested sum; null before the deposit. */
  readonly match: Match | null;
  readonly resolution: Resolution | null;
  /** The chain's finding about the payment's output; null: the payment needs no proof, or VERIFY is off. */
  readonly verification: Verification | null;
}

/** Conditions for payments: all must hold. */
export interface PaymentConditions {
  /** Any of these statuses, each once. */
  readonly statuses?: readonly Status[];
  /** Any of these providers, each once. */
  readonly providers?: readonly string[];
  readonly orderId?: string;
  /** Payments in which this id, address, transaction or amount is found: see domain/payment/search.ts. */
  readonly search?: string;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly late?: boolean;
  /** Payments that are polled and have a stall that has not ended. */
  readonly stalled?: boolean;
  /** Payments with a contradiction of the provider, or a wrong sum. */
  readonly anomaly?: boolean;
  /** Payments of an order that was paid more than once: see domain/payment/order.ts. */
  readonly paidTwice?: boolean;
  /** Payments with an untold event: see domain/event/told.ts. */
  readonly undelivered?: boolean;
  /** Payments that stand in this card of Attention: see domain/attention/payment-troubles.ts. */
  readonly attention?: ListedNeed;
  /** Payments that wait for a proof on one of these chains, and that no person has resolved. */
  readonly awaitingProof?: readonly number[];
  /** Payments that a person has resolved in their present status. */
  readonly resolved?: boolean;
  /** Payments whose deposit compares in this way with the requested sum. */
  readonly match?: Match;
  /** Payments whose output is in this state; none while VERIFY is off. */
  readonly verification?: VerificationState;
  /** Payments from or to this chain, and this token: see domain/payment/route.ts. */
  readonly chain?: string;
  readonly token?: string;
}

export interface PaymentFilter extends PaymentConditions {
  /** By creation. */
  readonly sort?: ListSort;
  readonly limit: number;
  readonly cursor?: string;
}

/** A page of a payment's events, as CloudEvents JSON texts. */
export interface PaymentEvents {
  readonly events: readonly string[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export interface PaymentToAdd extends Omit<NewPayment, 'traceparent'> {
  /** The span of the request that adds the payment; a new payment keeps its context. Null or left out: there is none. */
  readonly span?: RequestSpan | null;
  /** The provider's quote, verbatim; null for a quote that was made elsewhere. */
  readonly quoteText: string | null;
  /** The submitted quote object of a quote that was made elsewhere. It replaces no stored object. */
  readonly adoptedQuoteText?: string | null;
  /** The first report, if it is already known; applied in the transaction that creates the payment. */
  readonly report: Report | null;
  /** The row of UnansweredQuotes that is removed when the payment is stored; null or left out: none. */
  readonly attemptId?: string | null;
  /** Called last before the payment is stored, after every wait: whether the payment is still wanted. Left out: it is. */
  readonly isWanted?: () => boolean;
}

/** Why no payment with an id is stored: the database knows of none, or retention has removed it for ever. */
export type NotStored = 'unknown' | 'removed';

/** `isNew` is false for a quote that was already stored. */
export type AddedPayment =
  | { readonly isNew: true; readonly payment: StoredPayment }
  | { readonly isNew: false };

/** The stored payments with their quotes, reports and events. */
export abstract class Payments {
  /**
   * Stores the payment, its `payment.created` event and the event's deliveries, and completes the idempotency claim, all in
   * one transaction; adds the events to the payment's span. `offers`: the new deliveries to insert leased, in this call and
   * later ones. For a quote that is already stored, it only sets the label. Throws IdempotencyLost when the claim was taken
   * over, ProviderUnavailable when another quote has this id, OrderAlreadyNamed, PaymentRemoved when retention has removed the
   * payment, and NotWanted.
   */
  abstract add(
    payment: PaymentToAdd,
    claim: IdempotencyClaim | null,
    offers: readonly LeaseOffer[],
  ): Promise<AddedPayment & Deliverable>;
  /**
   * Sets a payment's order id and metadata; null keeps the stored value. A change records one `payment.updated` in the same
   * transaction. Does nothing if the payment does not exist. Throws OrderAlreadyNamed.
   */
  abstract label(quoteId: string, label: LabelToSet, offers: readonly LeaseOffer[]): Promise<Labelled>;
  /** Resolves a payment, or removes its resolution (null), by one `payment.updated`; does nothing to an unknown payment. */
  abstract resolve(
    quoteId: string,
    settlement: Settlement | null,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable>;
  /** Stores the quote of a payment that has none; does nothing otherwise. */
  abstract addQuote(quoteId: string, quoteText: string): Promise<void>;
  /** The payment, or why it is not stored, in one snapshot. A UUID in other letter case is the same id. */
  abstract read(quoteId: string): Promise<StoredPayment | NotStored>;
  async find(quoteId: string): Promise<StoredPayment | null> {
    const payment = await this.read(quoteId);
    return typeof payment === 'string' ? null : payment;
  }
  /**
   * The newest payments first, or the oldest. A page of large payments has fewer than `limit`. With a filter by chain or
   * token, or a search that very many payments match, even an empty page may come before the last one. Throws InvalidCursor.
   */
  abstract list(filter: PaymentFilter): Promise<{ payments: StoredPayment[]; nextCursor: string | null }>;
  /**
   * The number of payments, exact up to MOST_COUNTED. With a filter by chain or token, or a search that very many payments
   * match, it is a lower bound: the number found in time. Throws StoreUnavailable if the database takes longer.
   */
  abstract count(conditions: PaymentConditions): Promise<Counted>;
  /** Whether the order has a payment that completed or is under way, without duplicates; never with ORDER_IDS=shared. */
  abstract hasPayment(orderId: string): Promise<boolean>;
  /** A page of the payment's events, in order; null when there is no such payment. Throws InvalidCursor. */
  abstract eventsOf(quoteId: string, cursor?: string | null): Promise<PaymentEvents | null>;
}

export class InvalidCursor extends Error {
  readonly code = 'invalid_cursor';
  constructor(
    readonly field = 'cursor',
    message = 'This cursor was not made by this list.',
  ) {
    super(message);
  }
}

/** Retention has removed the payment with this id. The payment is never tracked again, so that no event is published twice. */
export class PaymentRemoved extends Error {
  readonly code = 'payment_removed';
  /** 409 for a request to track the payment, 404 for a request to read it. */
  constructor(readonly httpStatus: 404 | 409) {
    super('The payment with this id was removed after its retention; it is not tracked again.');
  }
}

/** The database does not answer, takes no writes or has another schema. A write that was sent may be stored all the same. */
export class StoreUnavailable extends Error {
  readonly code: 'database_unavailable' | 'busy' = 'database_unavailable';
  /** The cause in words for an operator, without an address. */
  readonly reason: string;
  constructor({ reason, ...options }: ErrorOptions & { reason?: string } = {}) {
    super(
      reason === undefined ? 'The database does not answer.' : `The database is not available: ${reason}.`,
      options,
    );
    this.reason = reason ?? 'no answer in time';
  }
  /** The detail for clients, with the cause; undefined: the code's own detail is used. */
  get publicDetail(): string | undefined {
    return `${this.message} Try again later.`;
  }
}
