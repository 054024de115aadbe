import { hash } from 'node:crypto';

import type { ChainHead, ShownBlock } from '../../domain/proof/shown.ts';

/** The timing of a simulated chain's blocks. */
export interface BlockTimes {
  readonly chainId: number;
  readonly speed: number;
  /** The confirmations that a proof needs. */
  readonly needed: number;
}

/** The time of block 0; every block number is computed from the clock. */
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

/** The block that replaces another one after a reorganisation. */
export function replacedBlock(number: number, times: BlockTimes): ShownBlock {
  return { ...blockOf(number, times), hash: hashOfBlock(`other block ${number} of ${times.chainId}`) };
}

/** The block that contains transactions of that time. */
export function numberAt(minedAt: Date, times: BlockTimes): number {
  return Math.floor((minedAt.getTime() - GENESIS_MS) / blockMs(times));
}

function blockMs({ speed }: BlockTimes): number {
  return BLOCK_MS / speed;
}

function hashOfBlock(seed: string): string {
  return `0x${hash('sha256', seed)}`;
}
