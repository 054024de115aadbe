import type { OutputAnswer, SeenTransfer } from '../proof/output.ts';
import { checksOfOther } from '../proof/output-checks.ts';
import type { Verification, VerificationState } from '../proof/verification.ts';
import type { Proof } from './apply-proof.ts';
import { unused, usedBy, verificationOf } from '../payment/verification-of.ts';

/** The parts of a witness's claim on which the next inspection depends. */
export interface InspectedClaim {
  readonly chainId: number | null;
  readonly before: VerificationState;
  /** The verification that earlier inspections stored; left out or null: none. */
  readonly verification?: Verification | null;
  /** Number of inspections, this one included. */
  readonly inspections: number;
  /** The time since the provider reported COMPLETED. */
  readonly begunAgoMs: number;
  readonly patienceMs: number;
  /** True: the provider names the transaction; false: a search found it. */
  readonly isNamed: boolean;
  /** In the smallest unit. */
  readonly leastAmount: bigint;
  /** The quote id of the payment that got this payment's proof, not yet reported; left out or null: there is none. */
  readonly lostTo?: string | null;
  /**
   * The quote id of the payment that the answer's first transfer proves; left out or null: the transfer is free, or shared by
   * several.
   */
  readonly heldBy?: string | null;
  /** The proof found by earlier inspections. */
  readonly provenBy: SeenTransfer | null;
  /** True: only a proof completes the payment. */
  readonly isWithheld?: boolean;
}

/** The decision after an inspection. */
export interface Judged {
  readonly proof: Proof;
  readonly provenBy: SeenTransfer | null;
  /** Null: no inspection follows. */
  readonly nextInMs: number | null;
}

type Proven = OutputAnswer & { readonly state: 'proven' };

const SOONEST_MS = 1_000;
/** A transfer whose block is not final is inspected again after this time, then less often. */
const FINALITY = { fromMs: 15_000, upToMs: 300_000 };
/** The time between inspections of an unproven completion after its patience, if another inspection hardly helps. */
const LATE = { fromMs: 600_000, upToMs: 3_600_000 };
/** If another inspection may help, the time is this share of the time since the provider's report. */
const LATE_SHARE = 0.1;
/** Answers that only more blocks can change; the chain shows when these exist. */
const ONLY_EARLY: ReadonlySet<string> = new Set(['not_confirmed', 'not_final']);
/** Answers of RPCs that found nothing. */
const NOTHING_THERE: ReadonlySet<string> = new Set(['no_transfer_found', 'not_found', 'unreadable_hash']);
/** After this many inspections the blocks exist, or the chain stands still: later ones wait for a share of the time passed. */
const EXPECTED_INSPECTIONS = 10;
const STANDING_SHARE = 0.01;
/** The shortest wait after a proof was lost. */
const LOST_AGAIN_MS = 30_000;
/** After this time, a proof that never became final stands, and an unverified payment stays unverified. */
const GIVE_UP_MS = 7 * 86_400_000;

/** Judges the witness's answer; `reserved` is the candidate that was reserved for this payment, if there is one. */
export function judgeInspection(
  answer: OutputAnswer,
  reserved: SeenTransfer | null,
  inspected: InspectedClaim,
): Judged {
  if (answer.state === 'proven' && reserved !== null) return proven(answer, reserved, inspected);
  const { lostTo, verification } = inspected;
  if (lostTo && verification) return lost(answer, usedBy(verification, lostTo), inspected);
  if (answer.state === 'proven') return usedBefore(answer, inspected);
  if (answer.state === 'contradicted') {
    const { reason, transfer } = answer;
    return contradicted(verificationOf('contradicted', answer, transfer, inspected), reason, inspected);
  }
  return inconclusive(answer, answer, inspected);
}

function proven(answer: Proven, by: SeenTransfer, inspected: InspectedClaim): Judged {
  const { leastAmount } = inspected;
  const checks = by === answer.transfers[0] ? answer.checks : checksOfOther(answer.checks, by, leastAmount);
  const verification = verificationOf('proven', { ...answer, checks: unused(checks) }, by, inspected);
  const isEnded = by.isFinal || inspected.begunAgoMs >= GIVE_UP_MS;
  const nextInMs = isEnded
    ? null
    : Math.max(answer.askAgainMs ?? 0, growing(FINALITY, inspected.inspections - 1));
  return { proof: { verification, reason: null }, provenBy: by, nextInMs };
}

/** Only a named transaction in a final block contradicts: a search may meet another payment's transfer. */
function usedBefore(answer: Proven, inspected: InspectedClaim): Judged {
  const { transfers, openAgainMs = null } = answer;
  const [first] = transfers;
  const { heldBy = null, before, isNamed } = inspected;
  const verification = usedBy(verificationOf('contradicted', answer, first, inspected), heldBy);
  // Another payment took the transfer while a reorganisation had moved it.
  if (before === 'proven') return contradicted(verification, 'output_used_before', inspected);
  const wait = (askAgainMs: number): Judged =>
    inconclusive({ ...answer, checks: verification.checks }, { reason: 'used', askAgainMs }, inspected);
  // Other transfers may come, and the balances of a block do not show how many payments it serves.
  if (!isNamed) return wait(SOONEST_MS);
  if (openAgainMs !== null) return wait(openAgainMs);
  if (transfers.some(({ isFinal, byBalance }) => !isFinal || byBalance === true))
    return wait(FINALITY.fromMs);
  return contradicted(verification, 'output_used_before', inspected);
}

/**
 * When to ask again because another transfer may still prove the payment: an RPC is away or limits calls, or a block is young.
 * Null: no other transfer can.
 */
function openAgainOf(answer: OutputAnswer, { begunAgoMs, patienceMs }: InspectedClaim): number | null {
  if (begunAgoMs >= patienceMs || answer.state === 'contradicted') return null;
  if (answer.state === 'proven') return answer.openAgainMs ?? null;
  return NOTHING_THERE.has(answer.reason) ? null : (answer.askAgainMs ?? LOST_AGAIN_MS);
}

/** Another payment, whose provider names the transfer, took it over: reported if no other transfer proves this payment. */
function lost(answer: OutputAnswer, verification: Verification, inspected: InspectedClaim): Judged {
  const askAgainMs = openAgainOf(answer, inspected);
  if (askAgainMs !== null) {
    const open = inconclusive(answer, { reason: 'lost', askAgainMs }, inspected);
    const { state } = open.proof.verification;
    return { ...open, proof: { verification: { ...verification, state }, reason: null } };
  }
  const judged = contradicted({ ...verification, state: 'contradicted' }, 'output_used_before', inspected);
  // The payment's own transfer may come at any time.
  const soonMs = Math.max(LOST_AGAIN_MS, inspected.begunAgoMs * LATE_SHARE);
  return { ...judged, nextInMs: judged.nextInMs === null ? null : Math.min(judged.nextInMs, soonMs) };
}

/**
 * Only a proof completes a withheld payment. An event reports the end of its patience; inspections go on for another week.
 */
function contradicted(
  verification: Verification,
  reason: Proof['reason'],
  inspected: InspectedClaim,
): Judged {
  // A payment without a named transaction may still find its own transfer.
  const isOpen = inspected.isWithheld === true || !inspected.isNamed;
  const isEnded = !isOpen || isOver(inspected);
  const nextInMs = isEnded ? null : lateWait(inspected);
  return { proof: { verification, reason }, provenBy: null, nextInMs };
}

/** Why an inspection has no result, and when another one may have; null: never. */
interface Open {
  readonly reason: string;
  readonly askAgainMs: number | null;
}

/** A proof stands until a final block contradicts it, and a contradiction until a proof. */
function inconclusive(answer: OutputAnswer, open: Open, inspected: InspectedClaim): Judged {
  const { before, begunAgoMs, patienceMs, provenBy, isWithheld = false } = inspected;
  // Another RPC may still help a payment that only a proof completes.
  const isHopeless = open.askAgainMs === null && !isWithheld;
  const isUnverified = isHopeless || begunAgoMs >= patienceMs;
  const stands = before === 'proven' || before === 'contradicted';
  const state = stands ? before : isUnverified ? 'unverified' : 'pending';
  const stored = stands ? inspected.verification : null;
  const verification = stored ?? verificationOf(state, answer, provenBy, inspected);
  const nextInMs = isHopeless || isOver(inspected) ? null : waitOf(state, open, inspected);
  return { proof: { verification, reason: null }, provenBy, nextInMs };
}

function isOver({ begunAgoMs, patienceMs }: InspectedClaim): boolean {
  return begunAgoMs >= Math.max(GIVE_UP_MS, patienceMs);
}

function waitOf(state: VerificationState, { reason, askAgainMs }: Open, inspected: InspectedClaim): number {
  const { begunAgoMs, patienceMs, inspections } = inspected;
  const soonMs = Math.max(askAgainMs ?? LATE.fromMs, SOONEST_MS);
  if (state === 'proven') return Math.max(soonMs, growing(FINALITY, inspections - 1));
  if (begunAgoMs < patienceMs) return Math.min(soonMs, untilImpatient(inspected));
  if (askAgainMs === null) return lateWait(inspected);
  if (!ONLY_EARLY.has(reason))
    return Math.min(Math.max(soonMs, begunAgoMs * LATE_SHARE), lateWait(inspected));
  return inspections <= EXPECTED_INSPECTIONS ? soonMs : Math.max(soonMs, begunAgoMs * STANDING_SHARE);
}

/** The end of the patience is reported at its time. */
function untilImpatient({ begunAgoMs, patienceMs }: InspectedClaim): number {
  return Math.max(patienceMs - begunAgoMs, SOONEST_MS);
}

function lateWait(inspected: InspectedClaim): number {
  const { begunAgoMs, patienceMs } = inspected;
  if (begunAgoMs < patienceMs) return untilImpatient(inspected);
  return growing(LATE, (begunAgoMs - patienceMs) / LATE.upToMs);
}

function growing({ fromMs, upToMs }: typeof LATE, steps: number): number {
  return Math.min(fromMs * 2 ** Math.max(Math.min(steps, 20), 0), upToMs);
}
