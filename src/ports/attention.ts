import type { PaymentTrouble } from '../domain/attention/payment-troubles.ts';
import type { Severity } from '../domain/event/severity.ts';
import type { Circuit } from './deliveries.ts';

/** Counts are exact up to this number. */
export const MOST_COUNTED = 10_000;
/** How many endpoints, and how many tokens, are listed. */
export const MOST_LISTED = 20;
/** How many payments an item names. */
export const MOST_NAMED = 3;

/** A count, exact up to MOST_COUNTED. */
export interface Counted {
  readonly count: number;
  /** True: the number is a lower bound. */
  readonly isMore: boolean;
}

export interface UpTo extends Counted {
  /** When the oldest counted thing began; null: not known, or nothing is counted. */
  readonly since: Date | null;
}

/** The amount that payers sent in one token. */
export interface TokenSum {
  readonly chainId: number | null;
  readonly chain: string | null;
  readonly symbol: string | null;
  readonly address: string | null;
  /** An exact decimal. */
  readonly amount: string;
  readonly payments: number;
}

/** A number of payments, and the sums that their payers sent. */
export interface PaymentSums {
  readonly count: number;
  readonly isMore: boolean;
  /** Sums of the counted payments; the token with most payments first. */
  readonly sums: readonly TokenSum[];
  /** How many tokens are not listed. */
  readonly otherTokens: number;
}

export interface TroubledEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly circuit: Circuit;
  readonly failingSince: Date | null;
  readonly disabledReason: string | null;
}

export type EndpointTrouble = 'disabled' | 'failing';

export interface TroubledEndpoints {
  readonly count: number;
  readonly since: Date | null;
  readonly endpoints: readonly TroubledEndpoint[];
  /** Paid payments whose newest event no destination has acknowledged. */
  readonly unacknowledged: PaymentSums;
}

export interface NamedPayment {
  readonly quoteId: string;
  readonly orderId: string | null;
}

/** Payments that need a person, with the names of the first payments. */
export interface NeedyPayments extends UpTo {
  readonly examples: readonly NamedPayment[];
}

/** The payments that need a person, each in one place. */
export interface PaymentNeeds {
  /** The payments by their first trouble; `paidTwice` counts orders. */
  readonly troubles: Readonly<Record<PaymentTrouble, NeedyPayments>>;
  /** Payments that a destination was not told of, and that have no other trouble. */
  readonly untold: NeedyPayments;
  /** How many untold payments have a trouble too. */
  readonly untoldInTrouble: number;
  readonly all: Counted;
}

/** Which steps of the move to Paybell have begun; destinations are shown elsewhere. */
export interface BegunMove {
  /** A quote was submitted with `POST /api/payments`. */
  readonly isHandedOver: boolean;
  /** A quote was requested here, or looked up: the shop uses this base URL. */
  readonly isAsked: boolean;
  /** A payment has completed: the move is over. */
  readonly isOver: boolean;
}

/** Counts payments and endpoints that need a person. The cost of each count is bounded, however much went wrong. */
export abstract class AttentionCounts {
  /** With ORDER_IDS=shared, no payment counts as a second payment of an order. */
  abstract payments(): Promise<PaymentNeeds>;
  /** Sums the amounts that payers sent, over the payments of a trouble or the untold payments. */
  abstract sums(of: PaymentTrouble | 'undelivered'): Promise<PaymentSums>;
  /** Given-up deliveries to webhook endpoints. */
  abstract failedDeliveries(): Promise<UpTo>;
  /** Events of the last day for which no queue was bound. */
  abstract unroutableEvents(): Promise<UpTo>;
  /** Paid payments that have not ended, and that no person has resolved. */
  abstract inFlight(): Promise<PaymentSums>;
  /** Serves only the first steps; reads the newest hundred payments. */
  abstract begunMove(): Promise<BegunMove>;
  abstract endpoints(trouble: EndpointTrouble): Promise<TroubledEndpoints>;
}

/** The number that a code of attention counts; 0: the code is closed. */
export interface OpenCount {
  readonly code: string;
  readonly severity: Severity;
  readonly count: number;
}

/** Knows everything that needs a person now. */
export abstract class OpenAttention {
  /** Every code. While the database gives no answer: only the code of its own trouble, which this process knows. */
  abstract counts(): Promise<readonly OpenCount[]>;
}
