import type { Judged } from '../domain/transitions/judge-inspection.ts';
import type { Payment } from '../domain/payment/payment.ts';
import type { ProvenTexts } from '../domain/payment/promised-output.ts';
import type { Transition } from '../domain/transitions/transition.ts';
import type { PromisedOutput, SeenInputs, SeenTransfer } from '../domain/proof/output.ts';
import type { Verification, VerificationState } from '../domain/proof/verification.ts';
import type { LeaseOffer } from './deliveries.ts';
import type { Deliverable } from './new-deliveries.ts';

/**
 * A claim to search for the output of a payment; by the fencing token `token`, an inspection that comes too late is dropped.
 */
export interface ProofClaim {
  readonly paymentId: string;
  readonly token: string;
  readonly quoteId: string;
  readonly provider: string;
  readonly texts: ProvenTexts;
  /** The digest of the report that says COMPLETED. */
  readonly reportDigest: string;
  readonly state: VerificationState;
  /** The verification that earlier inspections stored; null: none. */
  readonly verification: Verification | null;
  readonly provenBy: SeenTransfer | null;
  readonly seenInputs: readonly SeenInputs[];
  /** The quote id of the payment that got this payment's proof, not yet reported; null: none. */
  readonly lostTo: string | null;
  /** The number of inspections, this one included. */
  readonly inspections: number;
  /** The time since that report was stored. */
  readonly begunAgoMs: number;
}

/** The decision after an inspection, and the changed payment. */
export interface JudgedInspection {
  readonly transition: Transition;
  /** Null: there is nothing to prove, and the payment's row is removed. */
  readonly judged: Judged | null;
}

/** Where an output arrives, and how much of it. */
export type OutputPlace = Pick<PromisedOutput, 'chainId' | 'recipient' | 'token' | 'leastAmount'>;

/** The transfers that would each prove a payment, the best first. */
export interface Candidates {
  /** Null: the quote does not state it, or there is nothing to prove. */
  readonly place: OutputPlace | null;
  readonly transfers: readonly SeenTransfer[];
  /** True: the provider names their transactions. */
  readonly isNamed: boolean;
  /** To be kept with the payment in place of those that are; left out: these stay. */
  readonly seenInputs?: readonly SeenInputs[];
}

/** The candidate that proves no other payment. */
export interface Reserved {
  /** Null: each candidate proves another payment. */
  readonly transfer: SeenTransfer | null;
  /**
   * The quote id of the payment that the best candidate proves; null: the candidate is free, or shared by several payments.
   */
  readonly heldBy: string | null;
}

export interface RecordedInspection extends Deliverable {
  /** False: another claim has taken the payment over, and nothing was written. */
  readonly isRecorded: boolean;
}

/** The payments whose outputs Paybell has to prove. */
export abstract class Proofs {
  /** Makes the witness inspect the payment's output and its deposit now, if it has any to look for. */
  abstract inspectNow(quoteId: string): Promise<void>;

  /** Claims payments that are due, and holds each for `leaseMs`. */
  abstract claimDue(limit: number, leaseMs: number): Promise<ProofClaim[]>;

  /** Holds a claim for `leaseMs` from now on. */
  abstract extendLease(claim: ProofClaim, leaseMs: number): Promise<void>;

  /** The keys (`outputKey`) of transfers to a recipient that have proven other payments since a time. */
  abstract taken(claim: ProofClaim, place: OutputPlace, since: Date): Promise<ReadonlySet<string>>;
  /**
   * Reserves the first candidate that proves no other payment, calls `judge` with the payment and that candidate, and commits
   * the proof, the payment, its events and their deliveries, some of them leased as `offers` say, all in one transaction. It
   * may call `judge` again.
   */
  abstract record(
    claim: ProofClaim,
    candidates: Candidates,
    judge: (payment: Payment, reserved: Reserved, now: Date) => JudgedInspection,
    offers: readonly LeaseOffer[],
  ): Promise<RecordedInspection>;
}
