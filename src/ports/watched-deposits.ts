import type { Payment } from '../domain/payment/payment.ts';
import type { Transition } from '../domain/transitions/transition.ts';
import type { AddressPayment, NotedDeposit } from '../domain/transitions/untold-deposits.ts';
import type { LeaseOffer } from './deliveries.ts';
import type { Deliverable } from './new-deliveries.ts';

/** A claim to search for the deposits of a payment. */
export interface DepositClaim extends AddressPayment {
  readonly token: string;
  readonly quoteId: string;
  readonly provider: string;
  /** Transactions that a payer passed on. */
  readonly txHashes: readonly string[];
  /** The number of inspections, this one included. */
  readonly inspections: number;
  /** How much longer deposits are searched for. */
  readonly leftMs: number;
  /** When the payment was claimed, by the clock that all replicas share. */
  readonly now: Date;
  /** The deposits that earlier inspections found. */
  readonly noted: readonly NotedDeposit[];
}

/** The unpaid payments whose deposit addresses are inspected. */
export abstract class WatchedDeposits {
  /** Claims payments that are due, and holds each for `leaseMs`. */
  abstract claimDue(limit: number, leaseMs: number): Promise<DepositClaim[]>;
  /** Inspects a payment now, and looks for a transaction. False: the payment does not exist, or it is paid. */
  abstract watch(quoteId: string, txHash: string): Promise<boolean>;
  /** Other payments that have the address anywhere in their quote or report; null: they are very many, or not known now. */
  abstract othersWith(claim: DepositClaim, depositAddress: string): Promise<readonly AddressPayment[] | null>;
  /** Notes the deposits that were found, and when to inspect next; null: no inspection follows. */
  abstract keep(claim: DepositClaim, noted: readonly NotedDeposit[], nextInMs: number | null): Promise<void>;
  /** Commits the change that `judge` makes to the payment, with its events and deliveries. It may call `judge` again. */
  abstract tell(
    quoteId: string,
    judge: (payment: Payment) => Transition,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable>;
}
