import type { ChainHead, ShownBlock } from './shown.ts';

const LEAST_MS = 2_000;
const MOST_MS = 300_000;
/** The share of an output's age after which a search for it is worth another one. */
const AGE_SHARE = 0.1;
/** A usual time between two blocks. */
export const USUAL_BLOCK_MS = 2_000;

/** Milliseconds within the bounds of all waits. */
export function bounded(ms: number): number {
  return Math.round(Math.min(Math.max(ms, LEAST_MS), MOST_MS));
}

/** Inspections grow rarer as nothing is found. */
export function afterNothing(since: Date, now: Date): number {
  return bounded((now.getTime() - since.getTime()) * AGE_SHARE);
}

/** Estimates the time that more blocks take, by the blocks since this one. */
export function afterBlocks(missing: number, block: ShownBlock, { latest }: ChainHead): number {
  const blocks = latest.number - block.number;
  const passedMs = latest.at.getTime() - block.at.getTime();
  const blockMs = blocks > 0 && passedMs > 0 ? passedMs / blocks : USUAL_BLOCK_MS;
  return bounded(missing * blockMs);
}

/** The time until a block may be final: as long as the newest final block lags behind it. */
export function untilFinal(block: ShownBlock, head: ChainHead): number {
  return head.final === null ? MOST_MS : afterBlocks(block.number - head.final, block, head);
}
