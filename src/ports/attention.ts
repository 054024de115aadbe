import type { Circuit } from './deliveries.ts';

/** Counts are exact up to this. */
export const MOST_COUNTED = 10_000;
/** How many endpoints, and how many tokens, are listed. */
export const MOST_LISTED = 20;

/** How many there are, counted up to MOST_COUNTED. */
export interface Counted {
  readonly count: number;
  /** True: the number is a lower bound. */
  readonly isMore: boolean;
}

export interface UpTo extends Counted {
  /** When the oldest of those counted began; null: unknown, or none. */
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

/** Payments, and the sums that their payers sent. */
export interface PaymentSums {
  readonly count: number;
  readonly isMore: boolean;
  /** Of those counted, the most payments first. */
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

/**
 * Payments that need a person, by why: unresolved ones, and of those that paid an order a second time what is no duplicate. The lists
 * of `GET /api/payments` have the same conditions.
 */
export const PAYMENT_TROUBLES = ['stalled', 'anomaly', 'late', 'paidTwice'] as const;
export type PaymentTrouble = (typeof PAYMENT_TROUBLES)[number];

/** The steps of the move to Paybell that have begun, beside its destinations. */
export interface BegunMove {
  /** A quote was handed over with `POST /api/payments`. */
  readonly isHandedOver: boolean;
  /** A quote was asked for here, or looked up: the base URL leads here. */
  readonly isAsked: boolean;
}

/** Counts what needs a person. The cost of each is bounded, whatever went wrong. */
export abstract class AttentionCounts {
  /** With ORDER_IDS=shared, none paid an order twice. */
  abstract payments(): Promise<Readonly<Record<PaymentTrouble, UpTo>>>;
  /** Sums what payers sent in the payments that `payments` counts, or in those that some destination was not told of. */
  abstract sums(of: PaymentTrouble | 'undelivered'): Promise<PaymentSums>;
  /** Given-up deliveries to webhook endpoints. */
  abstract failedDeliveries(): Promise<UpTo>;
  /** Events of the last day that no queue is bound for. */
  abstract unroutableEvents(): Promise<UpTo>;
  /** Paid payments that have not ended, and that no person has resolved. */
  abstract inFlight(): Promise<PaymentSums>;
  /** For the first steps only: of the newest hundred payments. */
  abstract begunMove(): Promise<BegunMove>;
  abstract endpoints(trouble: EndpointTrouble): Promise<TroubledEndpoints>;
}
