import { randomUUID } from 'node:crypto';

import { addressFrom } from '../stand-in/addresses.js';
import { type Asset, chainOf } from './assets.ts';
import type { QuoteRequest } from './quote-request.ts';

/** `FAILED_EXECUTION` and others are words that no document of the API names. */
export type Word =
  | 'PENDING_DEPOSIT'
  | 'KNOWN_DEPOSIT_TX'
  | 'INCOMPLETE_DEPOSIT'
  | 'PROCESSING'
  | 'SUCCESS'
  | 'REFUNDED'
  | 'FAILED'
  | (string & {});

export interface Deposit {
  readonly raw: bigint;
  readonly at: number;
  readonly txHash: string;
}

/** The terms of a quote, in the smallest units. */
export interface Terms {
  readonly amountIn: bigint;
  readonly minAmountIn: bigint;
  readonly amountOut: bigint;
  readonly minAmountOut: bigint;
  readonly refundFee: bigint;
  readonly withdrawFee: bigint;
}

/** The facts that make a swap's status. */
export interface Life {
  status: Word;
  updatedAt: number;
  deposits: readonly Deposit[];
  amountIn: bigint | null;
  amountOut: bigint | null;
  refunded: bigint;
  refundReason: string | null;
  /** Hashes on the origin chain: first deposits, then refunds. */
  originHashes: readonly string[];
  destinationHashes: readonly string[];
  intentHashes: readonly string[];
  nearHashes: readonly string[];
  /** Changes the answer's body before it is sent, to try any form that the API may send. */
  reshape: ((body: Record<string, unknown>) => unknown) | null;
}

export interface Order {
  readonly request: QuoteRequest;
  readonly origin: Asset;
  readonly destination: Asset;
  readonly terms: Terms;
  readonly address: string;
  readonly memo: string | null;
  readonly createdAt: number;
  /** When a refund begins. */
  readonly deadline: number;
  /** When the address dies. */
  readonly inactiveAt: number;
  /** The parts of the answer to the quote that a status repeats. */
  readonly answer: { readonly quoteRequest: object; readonly quote: object };
  readonly signature: string;
  readonly life: Life;
}

const SHARED_SEED = 'shared';
const MEMO_DIGITS = 10;

/** A new address; on a chain with memos the address that all payers share, with a memo of its own. */
export function newAddress(origin: Asset): { readonly address: string; readonly memo: string | null } {
  const { form, needsMemo = false } = chainOf(origin);
  if (!needsMemo) return { address: addressFrom(randomUUID(), form), memo: null };
  const memo = BigInt(`0x${randomUUID().replaceAll('-', '')}`)
    .toString()
    .slice(0, MEMO_DIGITS);
  return { address: addressFrom(SHARED_SEED, form), memo };
}

export function newLife(at: number): Life {
  return {
    status: 'PENDING_DEPOSIT',
    updatedAt: at,
    deposits: [],
    amountIn: null,
    amountOut: null,
    refunded: 0n,
    refundReason: null,
    originHashes: [],
    destinationHashes: [],
    intentHashes: [],
    nearHashes: [],
    reshape: null,
  };
}

export function depositedOf({ life }: Order): bigint {
  return life.deposits.reduce((sum, { raw }) => sum + raw, 0n);
}
