import { addressKey } from '../../domain/chains/address-key.ts';
import { anomaliesOf, outcomeOf, type Outcome } from '../../domain/payment/outcome.ts';
import {
  amountIn,
  depositPart,
  NO_EXECUTION,
  statusText,
  unknownStatus,
  unixSecondsOrNull,
  unpaidStatus,
} from '../shared/spec-status.ts';
import { errorOf, refundHashOf, refundOf } from './swap-end.ts';
import { NOTHING_SEEN, type Seen, type StoredSwap, type Swap } from './swap.ts';

type Json = Readonly<Record<string, unknown>>;

/** The spec's Payment status object as JSON text, and the facts that the quote's row keeps for the next status. */
export interface SeenStatus {
  readonly text: string;
  readonly seen: Seen;
}

const NOT_STARTED: ReadonlySet<string> = new Set([
  'PENDING_DEPOSIT',
  'KNOWN_DEPOSIT_TX',
  'INCOMPLETE_DEPOSIT',
]);
const ENDED: ReadonlySet<string> = new Set(['SUCCESS', 'REFUNDED', 'FAILED']);
/** How far 1Click's clock and ours may differ. */
const CLOCKS_APART_MS = 600_000;

/**
 * Builds the spec's Payment status object as JSON text. Pure: the same swap gives the same text, and `now` only decides
 * whether a quote without a deposit is EXPIRED. COMPLETED needs an output transfer, not only the word SUCCESS.
 */
export function toStatus(quote: StoredSwap, swap: Swap, now: Date): SeenStatus {
  const outcome = outcomeOfEnd(quote, swap);
  const status = statusOf(quote, swap, now, outcome);
  const seen = seenNow(quote, swap, status, now);
  const hasDeposit = swap.deposited !== null || swap.originHashes.length > 0;
  const parts = {
    // The state machine refuses a report that names another address.
    depositAddress: swap.depositAddress ?? quote.depositAddress,
    ...(quote.memo === null ? {} : { depositMemo: quote.memo }),
    deposit: hasDeposit ? depositOf(quote, swap) : null,
    gas: null,
    execution:
      hasDeposit || hasOutput(quote, swap) ? executionOf(quote, swap, status, outcome, seen) : NO_EXECUTION,
  };
  const text = statusText(quote, status, parts, {
    error: status === 'FAILED' ? errorOf(quote, swap) : null,
    ...(status === 'COMPLETED' && outcome !== null ? anomaliesOf(outcome) : {}),
  });
  return { text, seen };
}

/** The facts of earlier answers, and those that this answer shows for the first time. */
function seenNow({ seen, createdAt }: StoredSwap, swap: Swap, status: string, now: Date): Seen {
  const { word, updatedAt, originHashes } = swap;
  const before = { ...NOTHING_SEEN, ...seen };
  const isOfQuote = updatedAt !== null && updatedAt.getTime() > createdAt.getTime() - CLOCKS_APART_MS;
  const changedMs = (isOfQuote ? updatedAt : now).getTime();
  return {
    deposits: ENDED.has(word) ? before.deposits : [...new Set([...before.deposits, ...originHashes])],
    startedMs: before.startedMs ?? (NOT_STARTED.has(word) ? null : now.getTime()),
    completedMs: before.completedMs ?? (status === 'COMPLETED' ? changedMs : null),
  };
}

function statusOf(quote: StoredSwap, swap: Swap, now: Date, outcome: Outcome | null): string {
  const { word, deposited, originHashes } = swap;
  if (word === 'PENDING_DEPOSIT' && deposited === null && originHashes.length === 0)
    return unpaidStatus(quote, now);
  if (NOT_STARTED.has(word)) return 'DEPOSIT_RECEIVED';
  if (word === 'PROCESSING') return 'EXECUTING';
  if (outcome === null) return unknownStatus('ONECLICK', word);
  if (word === 'SUCCESS' && !swap.isOurs) return 'ONECLICK_SUCCESS_OF_ANOTHER_SWAP';
  return outcome.status ?? 'ONECLICK_SUCCESS_WITHOUT_OUTPUT';
}

/** The transfers to the recipient. A hash of the deposit that appears again for another chain is a copied field. */
function outputHashes(
  { from, to }: StoredSwap,
  { destinationHashes, originHashes }: Swap,
): readonly string[] {
  if (from.chainId === to.chainId) return destinationHashes;
  const ofOrigin = new Set(originHashes.map(addressKey));
  return destinationHashes.filter((hash) => !ofOrigin.has(addressKey(hash)));
}

/** 1Click has said SUCCESS for a refund of everything: an output needs both a hash and an amount. */
function hasOutput(quote: StoredSwap, swap: Swap): boolean {
  return swap.isOurs && swap.amountOut !== null && outputHashes(quote, swap).length > 0;
}

/** Null before the end. */
function outcomeOfEnd(quote: StoredSwap, swap: Swap): Outcome | null {
  const { word, amountOut, refunded, deposited } = swap;
  if (!ENDED.has(word)) return null;
  const isShown = hasOutput(quote, swap);
  const shown = {
    word: word === 'SUCCESS' ? 'success' : 'failure',
    transactions: isShown ? outputHashes(quote, swap) : [],
    arrived: isShown ? amountOut : null,
    promised: BigInt(quote.minAmountOut),
    returned: word === 'REFUNDED' && refunded === 0n ? null : refunded,
    asked: isShown ? neededOf(quote, swap) : BigInt(quote.minAmountIn),
    deposited,
    isUnfinished: swap.isOurs && !isShown && outputHashes(quote, swap).length > 0,
  } as const;
  return outcomeOf(shown);
}

/**
 * The amount that the output takes. With an exact output, the rest goes back, even after the price moved in the payer's
 * favour.
 */
function neededOf({ amount, minAmountIn }: StoredSwap, { deposited, refunded }: Swap): bigint {
  const least = BigInt(minAmountIn);
  const kept = (deposited ?? 0n) - refunded;
  return amount !== minAmountIn && kept > 0n && kept < least ? kept : least;
}

/** With an exact output, the amount to pay includes a margin for the price: somewhat less is enough. */
function depositOf(quote: StoredSwap, { deposited: paid, originHashes }: Swap): Json {
  const least = BigInt(quote.minAmountIn);
  const deposit = depositPart(quote, { paid, txHash: originHashes[0] ?? null, least });
  return quote.memo === null ? deposit : { ...deposit, memo: quote.memo };
}

function executionOf(
  quote: StoredSwap,
  swap: Swap,
  status: string,
  outcome: Outcome | null,
  { deposits, startedMs, completedMs }: Seen,
): Json {
  const { word, amountOut, originHashes } = swap;
  const destinationHashes = outputHashes(quote, swap);
  const isCompleted = status === 'COMPLETED';
  const hasRefund = swap.refunded > 0n || word === 'REFUNDED';
  const refundHash = hasRefund ? refundHashOf(swap, deposits) : null;
  return {
    // If the start was seen after the end, the swap has started before the end.
    startedAt: secondsOf(startedMs === null ? null : Math.min(startedMs, completedMs ?? startedMs)),
    completedAt: isCompleted ? secondsOf(completedMs) : null,
    outputTxHash: isCompleted ? (destinationHashes.at(-1) ?? null) : null,
    ...(isCompleted ? { completedBy: outcome?.by } : {}),
    steps: [
      ...originHashes
        .filter((txHash) => txHash !== refundHash)
        .map((txHash) => ({ type: 'deposit', chainId: quote.from.chainId, txHash })),
      ...destinationHashes.map((txHash) => ({ type: 'fill', chainId: quote.to.chainId, txHash })),
    ],
    ...(amountOut === null || destinationHashes.length === 0
      ? {}
      : { output: amountIn(amountOut, quote.to) }),
    ...(hasRefund ? { refund: refundOf(quote, swap, refundHash) } : {}),
  };
}

function secondsOf(ms: number | null): number | null {
  return unixSecondsOrNull(ms === null ? null : new Date(ms));
}
