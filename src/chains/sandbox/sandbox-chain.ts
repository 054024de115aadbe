import { hash } from 'node:crypto';

import type { ChainHead, ShownBlock } from '../../domain/proof/shown.ts';

/** How the blocks of a simulated chain come. */
export interface BlockTimes {
  readonly chainId: number;
  readonly speed: number;
  /** The confirmations that a proof needs. */
  readonly needed: number;
}

/** Blocks begin to count here; every number follows from the clock. */
const GENESIS_MS = Date.UTC(2026, 0, 1);
/** At speed 1. */
const BLOCK_MS = 2_000;
/** How far the newest final block is behind the head. */
const FINAL_BLOCKS = 32;

export function headOf(times: BlockTimes, now: Date): ChainHead {
  const number = Math.floor((now.getTime() - GENESIS_MS) / blockMs(times));
  return { latest: blockOf(number, times), final: number - FINAL_BLOCKS };
}

export function blockOf(number: number, times: BlockTimes): ShownBlock {
  const at = new Date(GENESIS_MS + Math.round(number * blockMs(times)));
  return { number, hash: hashOfBlock(`block ${number} of ${times.chainId}`), at };
}

/** When a block becomes final. */
export function finalAt(number: number, times: BlockTimes): Date {
  return blockOf(number + FINAL_BLOCKS, times).at;
}

/** The block in the place of another one, after the chain was reorganised. */
export function replacedBlock(number: number, times: BlockTimes): ShownBlock {
  return { ...blockOf(number, times), hash: hashOfBlock(`other block ${number} of ${times.chainId}`) };
}

/** The block that has the transactions of that time. */
export function numberAt(minedAt: Date, times: BlockTimes): number {
  return Math.floor((minedAt.getTime() - GENESIS_MS) / blockMs(times));
}

function blockMs({ speed }: BlockTimes): number {
  return BLOCK_MS / speed;
}

function hashOfBlock(seed: string): string {
  return `0x${hash('sha256', seed)}`;
}
