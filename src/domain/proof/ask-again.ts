import { rulesOf } from '../chains/chain-kinds.ts';
import { type ChainHead, finalLagOf, type ShownBlock } from './shown.ts';

const LEAST_MS = 2_000;
const MOST_MS = 300_000;
/** A search is repeated after this share of the output's age. */
const AGE_SHARE = 0.1;

/** How long inspections share the newest final block: an older one hides blocks that are final by now. */
export const FINAL_SHARED_MS = 8_000;

/** Milliseconds, cut to the bounds for waits. */
export function bounded(ms: number, mostMs = MOST_MS): number {
  return Math.round(Math.min(Math.max(ms, LEAST_MS), mostMs));
}

/** Waits longer, the longer nothing was found. */
export function afterNothing(since: Date, now: Date): number {
  return bounded((now.getTime() - since.getTime()) * AGE_SHARE);
}

/** Estimates the time until more blocks exist, from the blocks since this one. */
export function afterBlocks(chainId: number, missing: number, block: ShownBlock, head: ChainHead): number {
  return bounded(missing * blockMsOf(chainId, block, head));
}

/** How long until a block may be final: as far as the newest final block lags behind it. */
export function untilFinal(chainId: number, block: ShownBlock, head: ChainHead): number {
  const lag = finalLagOf(head);
  if (lag === null) return MOST_MS;
  const missing = lag - (head.latest.number - block.number);
  return bounded(missing * blockMsOf(chainId, block, head), rulesOf(chainId).untilFinalMs);
}

function blockMsOf(chainId: number, block: ShownBlock, { latest }: ChainHead): number {
  const blocks = latest.number - block.number;
  const passedMs = latest.at.getTime() - block.at.getTime();
  return blocks > 0 && passedMs > 0 ? passedMs / blocks : rulesOf(chainId).blockMs;
}
