import { rulesOf } from '../../domain/chains/chain-kinds.ts';
import { applyProof, isHeld } from '../../domain/transitions/apply-proof.ts';
import { judgeInspection, type Judged } from '../../domain/transitions/judge-inspection.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isWorthProof, promisedOutput } from '../../domain/payment/promised-output.ts';
import { saysCompleted } from '../../domain/payment/shown-report.ts';
import { unchanged } from '../../domain/transitions/transition.ts';
import type { OutputAnswer, SeenInputs } from '../../domain/proof/output.ts';
import type { ChainWitness } from '../../ports/chain-witness.ts';
import type { Candidates, JudgedInspection, ProofClaim, Proofs, Reserved } from '../../ports/proofs.ts';
import type { ProofSettings } from './proof.settings.ts';

/** The result of inspecting the chain, and the judgement on the payment. */
export interface Inspection {
  readonly candidates: Candidates;
  readonly judge: (payment: Payment, reserved: Reserved, now: Date) => JudgedInspection;
}

/** The wait when the provider has just reported again. */
const SOON_MS = 1_000;
/** A margin, since the clocks of the database and of this process differ. */
const TAKEN_MARGIN_MS = 60_000;
/** The most transactions of which a payment keeps the inputs. */
const MOST_SEEN = 8;
const NO_CANDIDATES: Candidates = { place: null, transfers: [], isNamed: false };
const NOTHING: Reserved = { transfer: null, heldBy: null };

/** Asks the witness for the output of a payment. Writes nothing. */
export async function inspectOutput(
  claim: ProofClaim,
  witness: ChainWitness,
  proofs: Pick<Proofs, 'taken'>,
  settings: ProofSettings,
): Promise<Inspection> {
  const { texts, provenBy } = claim;
  if (texts.reportText === null || !saysCompleted(texts.reportText))
    return judgedBy(claim, NO_CANDIDATES, unknown('word_taken_back', SOON_MS), settings);
  if (!isWorthProof(texts.quoteText, settings.fromUsd)) return completes(claim, null, settings);
  const promised = promisedOutput(texts, settings.toleranceBps);
  if (typeof promised === 'string') return judgedBy(claim, NO_CANDIDATES, unknown(promised), settings);
  const { chainId, txHashes, since } = promised;
  const isNamed = txHashes.length > 0;
  if (!(await witness.sees(chainId, promised.token))) {
    const answer = unknown('no_witness');
    const nothing = { ...NO_CANDIDATES, place: promised, isNamed };
    if (!settings.allowsUnprovable) return judgedBy(claim, nothing, answer, settings);
    return completes(claim, judgedOf(claim, nothing, answer, NOTHING, settings), settings);
  }
  const used = await proofs.taken(
    claim,
    promised,
    new Date(since.getTime() - rulesOf(chainId).clockToleranceMs - TAKEN_MARGIN_MS),
  );
  const { begunAgoMs: namedForMs, seenInputs: kept } = claim;
  const asked = { ...promised, provenBy, used, namedForMs, seenInputs: kept };
  const answer = await witness.inspectOutput(asked);
  const inspected = { place: promised, seenInputs: newestInputs(answer.seenInputs ?? [], kept) };
  if (answer.state !== 'proven')
    return judgedBy(claim, { ...inspected, transfers: [], isNamed }, answer, settings);
  const { transfers, isSearched = false } = answer;
  const found = { ...inspected, transfers, isNamed: isNamed && !isSearched };
  return judgedBy(claim, found, answer, settings);
}

/** Keeps the inputs of transactions that this inspection has not seen. */
function newestInputs(seen: readonly SeenInputs[], kept: readonly SeenInputs[]): SeenInputs[] {
  const others = kept.filter(({ txHash }) => seen.every((each) => each.txHash !== txHash));
  return [...others, ...seen].slice(-MOST_SEEN);
}

/** Completes a withheld payment on its provider's word. Null: the payment needs a proof. */
function completes(claim: ProofClaim, judged: Judged | null, settings: ProofSettings): Inspection {
  return {
    candidates: NO_CANDIDATES,
    judge: (payment, reserved, now) => {
      const isWithheld = isWithheldBy(claim, payment);
      // The payment stays withheld, and is inspected again: by then there may be an RPC.
      if (isWithheld && isHeld(payment, claim.state))
        return judgedBy(claim, NO_CANDIDATES, unknown('held'), settings).judge(payment, reserved, now);
      const proving = { isWithheld, before: claim.state, byWord: true };
      const proof = judged?.proof ?? null;
      return { transition: applyProof(payment, proof, proving, now), judged };
    },
  };
}

function judgedBy(
  claim: ProofClaim,
  candidates: Candidates,
  answer: OutputAnswer,
  settings: ProofSettings,
): Inspection {
  return {
    candidates,
    judge: (payment, reserved, now) => {
      if (isTakenBack(claim, payment)) return { transition: unchanged(payment), judged: null };
      const isWithheld = isWithheldBy(claim, payment);
      const judged = judgedOf(claim, candidates, answer, reserved, settings, isWithheld);
      const isOverdue = claim.begunAgoMs >= settings.patienceOf(candidates.place?.chainId ?? null);
      const proving = { isWithheld, isOverdue, before: claim.state };
      return { transition: applyProof(payment, judged.proof, proving, now), judged };
    },
  };
}

function judgedOf(
  { state, verification, inspections, begunAgoMs, provenBy, lostTo }: ProofClaim,
  { place, isNamed }: Candidates,
  answer: OutputAnswer,
  reserved: Reserved,
  settings: ProofSettings,
  isWithheld = false,
): Judged {
  const { speed } = settings;
  const chainId = place?.chainId ?? null;
  const inspected = {
    chainId,
    leastAmount: place?.leastAmount ?? 0n,
    isNamed,
    lostTo,
    heldBy: reserved.heldBy,
    before: state,
    verification,
    inspections,
    begunAgoMs: begunAgoMs * speed,
    patienceMs: settings.patienceOf(chainId) * speed,
    provenBy,
    isWithheld,
  };
  const judged = judgeInspection(inTimeOf(answer, speed), reserved.transfer, inspected);
  return { ...judged, nextInMs: judged.nextInMs === null ? null : judged.nextInMs / speed };
}

function isWithheldBy({ reportDigest }: ProofClaim, payment: Payment): boolean {
  return payment.status !== 'COMPLETED' && payment.reportDigest === reportDigest;
}

/** The provider reports something else now: the chain's finding about its former report is no longer about the payment. */
function isTakenBack({ reportDigest }: ProofClaim, payment: Payment): boolean {
  return payment.status !== 'COMPLETED' && payment.reportDigest !== reportDigest;
}

/** Waits are converted to the provider's time. */
function inTimeOf(answer: OutputAnswer, speed: number): OutputAnswer {
  if (answer.state === 'contradicted' || answer.askAgainMs === null) return answer;
  return { ...answer, askAgainMs: answer.askAgainMs * speed };
}

function unknown(reason: string, askAgainMs: number | null = null): OutputAnswer {
  return { state: 'inconclusive', reason, askAgainMs, checks: [], sources: [] };
}
