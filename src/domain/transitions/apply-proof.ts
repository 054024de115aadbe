import {
  PENDING,
  type ContradictionOnChain,
  type Verification,
  type VerificationState,
} from '../proof/verification.ts';
import { contradictionOf, isNewContradiction } from '../payment/contradictions.ts';
import type { Payment, Resolution } from '../payment/payment.ts';
import { stall } from './stall.ts';
import { isWatched } from '../payment/status.ts';
import { contradictedBy, draftOf, numbered, unchanged, type Transition } from './transition.ts';

/** The result of an inspection of the chain. */
export interface Proof {
  readonly verification: Verification;
  /** The contradiction that this inspection has found, or null. */
  readonly reason: ContradictionOnChain | null;
}

/** The payment's state when the witness was asked. */
export interface Proving {
  /** The provider's report says COMPLETED, but the payment waits for the proof. */
  readonly isWithheld: boolean;
  /** The state before this inspection. */
  readonly before: VerificationState;
  /** The time for a proof is over. */
  readonly isOverdue?: boolean;
  /** True: the provider's word is enough for this payment. */
  readonly byWord?: boolean;
}

/**
 * Whether a withheld payment stays so: the provider's word completes no payment that the chain disproves or that a person has
 * settled.
 */
export function isHeld({ resolution }: Payment, state: VerificationState): boolean {
  return state === 'contradicted' || resolution !== null;
}

/** Contradictions by another payment or transaction, which say more about a lost proof than that its block was replaced. */
const OF_ANOTHER: ReadonlySet<ContradictionOnChain> = new Set(['output_used_before', 'double_spent']);

/** The verification of a payment that is not worth a proof. */
const BY_WORD: Verification = { ...PENDING, state: 'unverified' };

/**
 * Applies the finding of the chain; null: the chain is not asked about this payment. The status moves only when a withheld
 * completion is proven or needs no proof; nothing takes a completion back. A fact that an event has reported makes no second
 * event.
 */
export function applyProof(payment: Payment, proof: Proof | null, proving: Proving, now: Date): Transition {
  const { isWithheld, isOverdue = false, before, byWord = false } = proving;
  if (byWord)
    return isWithheld && !isHeld(payment, before)
      ? complete(payment, proof?.verification ?? BY_WORD, now)
      : unchanged(payment);
  if (proof === null) return unchanged(payment);
  if (proof.verification.state === 'proven') {
    if (isWithheld) return complete(payment, proof.verification, now);
    return payment.status === 'COMPLETED' && before !== 'proven'
      ? verify(payment, proof)
      : unchanged(payment);
  }
  const told =
    proof.verification.state === 'contradicted' ? contradict(payment, proof, before) : unchanged(payment);
  if (!isWithheld || !isOverdue) return told;
  return stall(told, 'unverified', { verification: proof.verification });
}

function verify(payment: Payment, { verification }: Proof): Transition {
  const verified = numbered(payment);
  const event = draftOf('payment.verified', payment, verified, { reportText: undefined, verification });
  return { payment: verified, events: [event], report: null };
}

/** A person completes a withheld payment, for this reason; `verification`: the chain's finding about it. */
export function release(
  payment: Payment,
  verification: Verification,
  { note, by }: Pick<Resolution, 'note' | 'by'>,
  now: Date,
): Transition {
  const resolution: Resolution = { reason: 'released', note, by, at: now.toISOString() };
  return complete(payment, verification, now, resolution);
}

/** Makes the one `payment.completed` of a payment for which the provider's word was not enough. */
function complete(
  payment: Payment,
  verification: Verification,
  now: Date,
  resolution: Resolution | null = null,
): Transition {
  const completed: Payment = {
    ...numbered(payment),
    status: 'COMPLETED',
    late: payment.late || isWatched(payment.status),
    tracking: 'watching',
    progressAt: now,
    endedAt: now,
    stalls: [],
    resolution,
  };
  const event = draftOf('payment.completed', payment, completed, {
    previousStatus: payment.status,
    reportText: undefined,
    verification,
    ...(resolution === null ? {} : { resolution }),
  });
  return { payment: completed, events: [event], report: null };
}

function contradict(
  payment: Payment,
  { verification, reason }: Proof,
  before: VerificationState,
): Transition {
  const isReorg = before === 'proven' && reason !== null && !OF_ANOTHER.has(reason);
  const word = isReorg ? 'output_reorged' : reason;
  if (word === null) return unchanged(payment);
  const contradiction = contradictionOf(word, verification.txHash ?? '');
  if (!isNewContradiction(payment, contradiction)) return unchanged(payment);
  const marked = contradictedBy(payment, contradiction);
  const told = { reason: word, reportText: undefined, verification } as const;
  return { payment: marked, events: [draftOf('payment.anomaly', payment, marked, told)], report: null };
}
