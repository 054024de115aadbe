import type { Payment } from '../domain/payment/payment.ts';
import type { Transition } from '../domain/payment/transition.ts';
import type { Status } from '../domain/payment/status.ts';
import type { SeenTransfer } from '../domain/proof/output.ts';
import type { LeaseOffer } from './deliveries.ts';
import type { Deliverable } from './new-deliveries.ts';

/** A claim to search for the deposit of a payment. */
export interface DepositClaim {
  readonly paymentId: string;
  readonly token: string;
  readonly quoteId: string;
  readonly provider: string;
  readonly status: Status;
  readonly quoteText: string | null;
  readonly reportText: string | null;
  readonly createdAt: Date;
  /** Transactions that a payer passed on. */
  readonly txHashes: readonly string[];
  /** This one included. */
  readonly inspections: number;
  /** The time until which the deposit is searched for. */
  readonly leftMs: number;
  /** The deposit that was found before. */
  readonly seen: SeenTransfer | null;
  /** The time since it was found; 0 without one. */
  readonly seenAgoMs: number;
}

/** The unpaid payments whose deposit addresses are inspected. */
export abstract class WatchedDeposits {
  /** Claims payments that are due, and holds each for `leaseMs`. */
  abstract claimDue(limit: number, leaseMs: number): Promise<DepositClaim[]>;
  /** Inspects a payment now, and for a transaction. False: there is no such payment, or it is paid. */
  abstract watch(quoteId: string, txHash: string): Promise<boolean>;
  /** Notes a deposit that was found, and when to inspect next; null: no inspection follows. */
  abstract keep(claim: DepositClaim, seen: SeenTransfer | null, nextInMs: number | null): Promise<void>;
  /** Commits what `judge` makes of the payment, with its events and deliveries, and inspects no more. It may call `judge` again. */
  abstract end(
    claim: DepositClaim,
    judge: (payment: Payment) => Transition,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable>;
}
