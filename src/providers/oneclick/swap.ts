import { readInstant } from '../../domain/payment/reading.ts';
import { fieldsOf, listOf, readWord } from '../shared/fields.ts';
import { storedToken, type StoredToken } from '../shared/listed-assets.ts';
import { readPositive, readRaw } from '../shared/raw-amount.ts';
import { readStatusWord } from '../shared/spec-status.ts';
import { isNativeAddress, isSameAddress } from '../shared/vm-addresses.ts';
import type { StoredQuote } from '../shared/quote-store.ts';
import type { Offer } from './offer.ts';
import type { Order } from './order.ts';

/** The part of 1Click's quote that its later status needs. Amounts are digits in the smallest unit. */
export interface SwapQuote {
  readonly depositAddress: string;
  readonly memo: string | null;
  readonly from: StoredToken;
  readonly to: StoredToken;
  /** 1Click's id of the destination token. */
  readonly destinationAsset: string;
  /** The amount that the payer sends. */
  readonly amount: string;
  /** An amount below this is not swapped. */
  readonly minAmountIn: string;
  readonly minAmountOut: string;
  readonly recipient: string;
  readonly refundTo: string;
  readonly seen?: Seen;
}

/**
 * Facts kept from earlier answers. Times are milliseconds since 1970, null: not yet. 1Click states only the time of its last
 * change, which moves.
 */
export interface Seen {
  /** The transactions on the payer's chain before the end of the swap: later ones are refunds. */
  readonly deposits: readonly string[];
  /** When an answer first said that the swap had started. */
  readonly startedMs: number | null;
  /** The time of change in the first answer with the completion. */
  readonly completedMs: number | null;
}

export const NOTHING_SEEN: Seen = { deposits: [], startedMs: null, completedMs: null };

export type StoredSwap = StoredQuote & SwapQuote;

/** Combines an order and 1Click's offer into the quote that is stored. */
export function toStoredSwap(kept: StoredQuote, order: Order, offer: Offer): StoredSwap {
  const { from, to, recipient, refundTo } = order;
  const { depositAddress, memo } = offer;
  return {
    ...kept,
    depositAddress,
    memo,
    from: storedToken(from),
    to: storedToken(to),
    destinationAsset: to.id,
    amount: offer.amountIn.toString(),
    minAmountIn: (order.isExactOutput ? offer.minAmountIn : offer.amountIn).toString(),
    minAmountOut: offer.minAmountOut.toString(),
    recipient,
    refundTo,
  };
}

/** 1Click's answer about a swap. */
export interface Swap {
  /** 1Click's status. */
  readonly word: string;
  readonly updatedAt: Date | null;
  /** The amount that has arrived at the deposit address; null: not known. */
  readonly deposited: bigint | null;
  readonly amountOut: bigint | null;
  readonly refunded: bigint;
  readonly refundReason: string | null;
  /** Deposits, followed by refunds. */
  readonly originHashes: readonly string[];
  readonly destinationHashes: readonly string[];
  /** False if the answer names another recipient or token than the quote: the answer is not about our payment. */
  readonly isOurs: boolean;
  readonly depositAddress: string | null;
}

const MAX_HASHES = 20;
const MAX_TEXT = 200;
/** 1Click's other name of a chain's own coin. */
const NATIVE_COIN = /^1cs_v1:[^:]+:native:coin$/;

/** Reads the answer of `GET /v0/status`; null if it has no status. Fields may be null or missing. Never throws. */
export function readSwap(value: unknown, quote: SwapQuote): Swap | null {
  const answer = fieldsOf(value);
  const word = readStatusWord(answer['status']);
  if (word === null) return null;
  const details = fieldsOf(answer['swapDetails']);
  const response = fieldsOf(answer['quoteResponse']);
  const [request, given] = [fieldsOf(response['quoteRequest']), fieldsOf(response['quote'])];
  const refunded = readRaw(details['refundedAmount']);
  return {
    word,
    updatedAt: readInstant(answer['updatedAt']),
    deposited: readPositive(details['depositedAmount']),
    amountOut: readPositive(details['amountOut']),
    refunded: refunded !== null && refunded > 0n ? refunded : 0n,
    refundReason: readWord(details['refundReason'])?.slice(0, MAX_TEXT) ?? null,
    originHashes: hashesOf(details['originChainTxHashes']),
    destinationHashes: hashesOf(details['destinationChainTxHashes']),
    isOurs: isOurs(request, quote),
    depositAddress: readWord(given['depositAddress']),
  };
}

/** Reads `{hash, explorerUrl}` or the hash alone; skips empty hashes. */
function hashesOf(value: unknown): string[] {
  return listOf(value)
    .map((item) => readWord(item) ?? readWord(fieldsOf(item)['hash']))
    .filter((hash) => hash !== null && hash.length <= MAX_TEXT)
    .slice(0, MAX_HASHES) as string[];
}

/** A field that the answer leaves out contradicts nothing. */
function isOurs(request: Readonly<Record<string, unknown>>, quote: SwapQuote): boolean {
  const { recipient, destinationAsset } = request;
  const isRecipient =
    recipient === undefined ||
    (typeof recipient === 'string' && isSameAddress(recipient, quote.recipient, quote.to.vmType));
  const isToken =
    destinationAsset === undefined ||
    destinationAsset === quote.destinationAsset ||
    (isNativeAddress(quote.to.address) && NATIVE_COIN.test(readWord(destinationAsset) ?? ''));
  return isRecipient && isToken;
}
