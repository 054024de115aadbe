import { createHash, randomBytes } from 'node:crypto';

import { bech32m } from '@scure/base';

import { addressFrom } from '../stand-in/addresses.js';
import type { Asset } from './assets.ts';
import type { Terms } from './quotes.ts';

/** The output, a refund, or a fallback. */
export interface Egress {
  readonly amount: bigint;
  readonly scheduledAt: number;
  /** True: too small, and kept. */
  readonly isIgnored: boolean;
  txRef: string | null;
  /** The tracker sees the transaction, which its chain has not mined yet. */
  isSeen: boolean;
  witnessedAt: number | null;
  abortedAt: number | null;
}

/** The result of a deposit. */
export interface Swap {
  readonly id: string;
  readonly terms: Terms;
  readonly scheduledAt: number;
  executedAt: number | null;
  /** Why the last try did not swap; null: no try has failed. */
  rescheduledFor: string | null;
  abortedFor: string | null;
  output: Egress | null;
  refund: Egress | null;
  fallback: (Egress & { readonly destinationAddress: string }) | null;
  /** Over, whatever was sent. */
  isOver: boolean;
}

export interface DepositFailure {
  readonly mode: 'DEPOSIT_IGNORED' | 'DEPOSIT_REJECTED';
  readonly name: string;
  readonly message: string;
}

export interface Deposit {
  readonly amount: bigint;
  readonly at: number;
  readonly txRef: string | null;
  readonly swap: Swap | null;
  failure: DepositFailure | null;
  /** The refund of a rejected deposit. */
  refund: Egress | null;
}

export interface FillOrKill {
  readonly retryDurationBlocks: number;
  readonly refundAddress: string;
  readonly minPriceX128: bigint;
  readonly maxOraclePriceSlippage: number | null;
}

export interface Channel {
  readonly id: string;
  readonly channelId: number;
  readonly src: Asset;
  readonly dest: Asset;
  readonly destAddress: string;
  readonly expectedAmount: bigint;
  readonly fillOrKill: FillOrKill;
  readonly depositAddress: string;
  readonly issuedBlock: number;
  readonly openedAt: number;
  readonly isByBackend: boolean;
  readonly brokerBps: number;
  /** The estimate in milliseconds; `isExpired` does not follow this clock. */
  readonly estimatedExpiryAt: number;
  readonly expiryBlock: bigint;
  /** The channel's status is a 404 before this time. */
  readonly indexedAt: number;
  readonly deposits: Deposit[];
  /** The deposit that the tracker sees but no block has confirmed; null: none. */
  pending: { readonly amount: bigint; readonly confirmations: number } | null;
  /** Changes each answer about the channel, to try any form that the API may send. */
  reshape: ((body: Record<string, unknown>) => unknown) | null;
}

const BYTES = 32;

/** Makes a new address; Bitcoin's are taproot. */
export function newDepositAddress({ chain: { form } }: Asset): string {
  if (form !== 'bvm') return addressFrom(randomBytes(BYTES).toString('hex'), form);
  const key = createHash('sha256').update(randomBytes(BYTES)).digest();
  return bech32m.encode('bc', [1, ...bech32m.toWords(key)]);
}

export function newEgress(amount: bigint, scheduledAt: number, isIgnored = false): Egress {
  return { amount, scheduledAt, isIgnored, txRef: null, isSeen: false, witnessedAt: null, abortedAt: null };
}

/** The swap whose state a channel id shows. */
export function newestSwap({ deposits }: Channel): Swap | null {
  return deposits.findLast(({ swap }) => swap !== null)?.swap ?? null;
}

export function refundIn(deposit: Deposit | null, swap: Swap | null): Egress | null {
  return swap?.refund ?? deposit?.refund ?? null;
}
