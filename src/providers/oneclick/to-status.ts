import { anomalyOf, outcomeOf, type Outcome } from '../../domain/payment/outcome.ts';
import { fromRaw } from '../shared/raw-amount.ts';
import {
  amountIn,
  depositPart,
  NO_EXECUTION,
  statusText,
  unixSecondsOrNull,
  unpaidStatus,
} from '../shared/spec-status.ts';
import type { StoredSwap, Swap } from './swap.ts';

type Json = Readonly<Record<string, unknown>>;

/** The merchant's choices for reports. */
export interface StatusOptions {
  /** A swap that was delivered in part and sent back in part is FAILED, not COMPLETED. */
  readonly failsPartial: boolean;
}

/** 1Click's reasons for a refund in plain words. The list is open: an unknown word is reported as it is. */
const REASONS: Readonly<Record<string, string>> = {
  PARTIAL_DEPOSIT: 'less than the quoted amount was paid',
  AMOUNT_LESS_THAN_MIN_AMOUNT_OUT: 'the price moved too far',
  AMOUNT_MORE_THAN_BALANCE: 'there was not enough liquidity',
  NO_LIQUIDITY: 'there was not enough liquidity',
  INSUFFICIENT_BALANCE: 'there was not enough liquidity',
  CIRCUIT_BREAKER_BLOCKED: 'the provider has stopped deliveries for now',
  FEE_ESTIMATION_FAILED: 'the fee of the delivery could not be estimated',
  INTENT_SUBMIT_FAILED: 'the swap could not be submitted',
  AMOUNT_LESS_THAN_MIN_WITHDRAWABLE: 'the amount is too small to be delivered',
  REFUND_ADD_FAILED: 'the provider could not record the refund',
  UNKNOWN: 'the provider gave no reason',
};

/**
 * Builds the spec's Payment status object as JSON text. Pure: the same swap gives the same text, and `now` only decides whether
 * a quote without a deposit is EXPIRED. COMPLETED is an output transfer, never the word SUCCESS alone.
 */
export function toStatus(quote: StoredSwap, swap: Swap, now: Date, options: StatusOptions): string {
  const status = statusOf(quote, swap, now, options);
  const hasDeposit = swap.deposited !== null || swap.originHashes.length > 0;
  const parts = {
    // The state machine refuses a report that names another address.
    depositAddress: swap.depositAddress ?? quote.depositAddress,
    ...(quote.memo === null ? {} : { depositMemo: quote.memo }),
    deposit: hasDeposit ? depositOf(quote, swap) : null,
    gas: null,
    execution: hasDeposit || hasOutput(swap) ? executionOf(quote, swap, status) : NO_EXECUTION,
  };
  return statusText(quote, status, parts, {
    error: status === 'FAILED' ? errorOf(quote, swap) : null,
    ...(status === 'COMPLETED' ? anomalyOf(outcomeOfSuccess(quote, swap, options)) : {}),
  });
}

function statusOf(quote: StoredSwap, swap: Swap, now: Date, options: StatusOptions): string {
  const { word, deposited, originHashes } = swap;
  if (word === 'PENDING_DEPOSIT' && deposited === null && originHashes.length === 0)
    return unpaidStatus(quote, now);
  if (['PENDING_DEPOSIT', 'KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT'].includes(word)) return 'DEPOSIT_RECEIVED';
  if (word === 'PROCESSING') return 'EXECUTING';
  if (word === 'REFUNDED' || word === 'FAILED') return 'FAILED';
  if (word !== 'SUCCESS') return `ONECLICK_${word}`;
  if (!swap.isOurs) return 'ONECLICK_SUCCESS_OF_ANOTHER_SWAP';
  return outcomeOfSuccess(quote, swap, options).status ?? 'ONECLICK_SUCCESS_WITHOUT_OUTPUT';
}

function hasOutput({ destinationHashes, amountOut }: Swap): boolean {
  return destinationHashes.length > 0 && amountOut !== null;
}

/** The word without an output has stood for a refund of everything. */
function outcomeOfSuccess(quote: StoredSwap, swap: Swap, { failsPartial }: StatusOptions): Outcome {
  const { amountOut, refunded } = swap;
  const isShort = amountOut !== null && amountOut < BigInt(quote.minAmountOut);
  return outcomeOf({ hasOutput: hasOutput(swap), isShort, hasRefund: refunded > 0n }, failsPartial);
}

/** Where the output is exact, the amount to pay contains what the price may move: somewhat less is enough. */
function depositOf(quote: StoredSwap, { deposited: paid, originHashes }: Swap): Json {
  const least = BigInt(quote.minAmountIn);
  const deposit = depositPart(quote, { paid, txHash: originHashes[0] ?? null, least });
  return quote.memo === null ? deposit : { ...deposit, memo: quote.memo };
}

function executionOf(quote: StoredSwap, swap: Swap, status: string): Json {
  const { word, updatedAt, amountOut, destinationHashes, originHashes } = swap;
  const isStarted = !['PENDING_DEPOSIT', 'KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT'].includes(word);
  const isCompleted = status === 'COMPLETED';
  const deposits = word === 'REFUNDED' ? originHashes.slice(0, -1) : originHashes;
  return {
    startedAt: isStarted ? unixSecondsOrNull(updatedAt) : null,
    completedAt: isCompleted ? unixSecondsOrNull(updatedAt) : null,
    outputTxHash: isCompleted ? (destinationHashes.at(-1) ?? null) : null,
    steps: [
      ...deposits.map((txHash) => ({ type: 'deposit', chainId: quote.from.chainId, txHash })),
      ...destinationHashes.map((txHash) => ({ type: 'fill', chainId: quote.to.chainId, txHash })),
    ],
    ...(amountOut === null || destinationHashes.length === 0
      ? {}
      : { output: amountIn(amountOut, quote.to) }),
    ...(swap.refunded > 0n || word === 'REFUNDED' ? { refund: refundOf(quote, swap) } : {}),
  };
}

function refundOf(quote: StoredSwap, { refunded, refundReason, word, originHashes }: Swap): Json {
  return {
    state: 'refunded',
    ...amountIn(refunded, quote.from),
    reason: refundReason,
    refundedTo: quote.refundTo,
    chainId: quote.from.chainId,
    txHash: word === 'REFUNDED' && originHashes.length > 1 ? (originHashes.at(-1) ?? null) : null,
  };
}

function errorOf(quote: StoredSwap, swap: Swap): string {
  const { word, refunded, refundReason, deposited } = swap;
  const { decimals, symbol, chainName } = quote.from;
  const reason =
    refundReason === null ? shortfallOf(quote, deposited) : (REASONS[refundReason] ?? refundReason);
  if (word === 'FAILED' && refunded === 0n) return reason ?? 'the provider failed, and gave no reason';
  const back = `${fromRaw(refunded, decimals)} ${symbol} went back to ${quote.refundTo} on ${chainName}`;
  return `REFUNDED: ${back}${reason === null ? '' : `: ${reason}`}`;
}

function shortfallOf(quote: StoredSwap, deposited: bigint | null): string | null {
  if (deposited === null || deposited >= BigInt(quote.minAmountIn)) return null;
  const { decimals, symbol } = quote.from;
  return `${fromRaw(deposited, decimals)} ${symbol} came instead of ${fromRaw(quote.amount, decimals)}`;
}
