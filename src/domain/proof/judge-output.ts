import { rulesOf } from '../chains/chain-kinds.ts';
import { afterBlocks, bounded, FINAL_SHARED_MS, untilFinal } from './ask-again.ts';
import type { Fitting, Match } from './match-output.ts';
import type { OutputAnswer, PromisedOutput, SeenTransfer } from './output.ts';
import { chainIdCheck, checksOf, depthCheck, matchChecks, timeCheck, unclearCoin } from './output-checks.ts';
import { type ChainHead, depthOf, finalLagOf, type ShownBlock } from './shown.ts';
import type { OutputCheck } from './verification.ts';

const DISAGREED_AGAIN_MS = 15_000;

/** One RPC's view of a transaction that a provider names. */
export interface ShownTransaction {
  /** The RPC's host. */
  readonly source: string;
  readonly match: Match;
  /** The block number in the transaction. */
  readonly blockNumber: number;
  readonly blockHash: string;
  /** The block with that number. */
  readonly block: ShownBlock;
  readonly head: ChainHead;
  /** The confirmations that a proof needs. */
  readonly needed: number;
}

/** Judges a transaction. Only a transaction in a final block contradicts. */
export function judgeOutput(output: PromisedOutput, shown: ShownTransaction): OutputAnswer {
  const { match, block, head, needed, source, blockNumber } = shown;
  const depth = depthOf(blockNumber, head, needed);
  const isAfter = isAfterQuote(block, output);
  const checks = checksOf({
    ...matchChecks(output, match, blockNumber),
    ...timeCheck(isAfter, block, output.since),
    ...depthCheck(depth),
  });
  const inspected = { source, checks };
  if (block.hash !== shown.blockHash) return inconclusive('block_replaced', DISAGREED_AGAIN_MS, inspected);
  if (match.kind === 'unclear')
    return inconclusive('coin_through_contract', null, { source, checks: unclearCoin(checks, blockNumber) });
  if (match.kind === 'differs' || !isAfter) {
    if (!depth.isFinal) return inconclusive('not_final', untilFinal(output.chainId, block, head), inspected);
    const nearest = match.kind === 'fits' ? match.fitting[0] : match.nearest;
    const transfer = nearest === null ? null : seen(nearest, head, needed);
    const reason = match.kind === 'fits' ? 'output_missing' : match.reason;
    return { state: 'contradicted', reason, transfer, checks, sources: [source] };
  }
  if (!depth.isConfirmed) {
    const missing = needed - depth.confirmations;
    return inconclusive(
      'not_confirmed',
      Math.min(afterBlocks(output.chainId, missing, block, head), untilFinal(output.chainId, block, head)),
      inspected,
    );
  }
  const [first, ...others] = match.fitting;
  return {
    state: 'proven',
    transfers: [seen(first, head, needed), ...others.map((each) => seen(each, head, needed))],
    // The wait includes the time for which inspections share a head: an inspection that comes too early costs a further one.
    askAgainMs: depth.isFinal ? null : untilFinal(output.chainId, block, head) + FINAL_SHARED_MS,
    checks,
    sources: [source],
  };
}

/** Judges a transaction whose block is not deep enough yet. */
export function judgeShallow(
  output: PromisedOutput,
  { source, match, blockNumber, head, needed }: Omit<ShownTransaction, 'block' | 'blockHash'>,
): OutputAnswer {
  const depth = depthOf(blockNumber, head, needed);
  const checks = checksOf({ ...matchChecks(output, match, blockNumber), ...depthCheck(depth) });
  const missing = needed - depth.confirmations;
  const { blockMs } = rulesOf(output.chainId);
  const inspected = { source, checks };
  if (match.kind === 'fits') return inconclusive('not_confirmed', missing * blockMs, inspected);
  // The block becomes final after as many blocks as the newest final one lies behind the head.
  const lag = finalLagOf(head) ?? needed;
  return inconclusive('not_final', Math.max(lag, missing) * blockMs, inspected);
}

export function isAfterQuote(
  block: ShownBlock,
  { chainId, since }: Pick<PromisedOutput, 'chainId' | 'since'>,
): boolean {
  return block.at.getTime() >= since.getTime() - rulesOf(chainId).clockToleranceMs;
}

export function seen(fitting: Fitting, head: ChainHead, needed: number): SeenTransfer {
  const { confirmations, isFinal } = depthOf(fitting.blockNumber, head, needed);
  return { ...fitting, confirmations, isFinal };
}

/**
 * Judges the transaction that proved a payment before, by the block that now has its number. Null: the transaction is now in
 * another block.
 */
export function judgeAgain(
  output: PromisedOutput,
  {
    provenBy,
    source,
    block,
    head,
    needed,
  }: Pick<ShownTransaction, 'source' | 'block' | 'head' | 'needed'> & { provenBy: SeenTransfer },
): OutputAnswer | null {
  if (block.hash !== provenBy.blockHash) return null;
  const match: Match = { kind: 'fits', fitting: [provenBy] };
  const { blockNumber, blockHash } = provenBy;
  return judgeOutput(output, { source, match, blockNumber, blockHash, block, head, needed });
}

/** The block of a payment's proof was replaced. Only a final block in its place shows that. */
export function judgeReorg(
  output: PromisedOutput,
  {
    provenBy,
    source,
    block,
    head,
    needed,
  }: Pick<ShownTransaction, 'source' | 'block' | 'head' | 'needed'> & { provenBy: SeenTransfer },
): OutputAnswer {
  const depth = depthOf(provenBy.blockNumber, head, needed);
  const detail = `Block ${provenBy.blockNumber} is another one now, and the transaction is not on the chain.`;
  const checks = checksOf({
    ...chainIdCheck(output.chainId),
    receipt: { passed: false, detail },
    ...depthCheck(depth),
  });
  if (!depth.isFinal)
    return inconclusive('not_final', untilFinal(output.chainId, block, head), { source, checks });
  return { state: 'contradicted', reason: 'output_reorged', transfer: provenBy, checks, sources: [source] };
}

export function inconclusive(
  reason: string,
  askAgainMs: number | null,
  { source, checks }: { readonly source: string | null; readonly checks: readonly OutputCheck[] },
): OutputAnswer {
  return {
    state: 'inconclusive',
    reason,
    askAgainMs: askAgainMs === null ? null : bounded(askAgainMs),
    checks,
    sources: source === null ? [] : [source],
  };
}
