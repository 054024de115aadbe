import { rulesOf } from '../chains/chain-kinds.ts';
import { type ChainHead, finalLagOf, type ShownBlock } from './shown.ts';

const LEAST_MS = 2_000;
const MOST_MS = 300_000;
/** The share of an output's age after which a search for it is worth another one. */
const AGE_SHARE = 0.1;

/** How long inspections share the newest final block: an older one understates what is final. */
export const FINAL_SHARED_MS = 8_000;

/** Milliseconds within the bounds of waits. */
export function bounded(ms: number, mostMs = MOST_MS): number {
  return Math.round(Math.min(Math.max(ms, LEAST_MS), mostMs));
}

/** Inspections grow rarer as nothing is found. */
export function afterNothing(since: Date, now: Date): number {
  return bounded((now.getTime() - since.getTime()) * AGE_SHARE);
}

/** Estimates the time that more blocks take, by the blocks since this one. */
export function afterBlocks(chainId: number, missing: number, block: ShownBlock, head: ChainHead): number {
  return bounded(missing * blockMsOf(chainId, block, head));
}

/** The time until a block may be final: as long as the newest final block lags behind it. */
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
