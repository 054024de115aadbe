import { addressKey } from '../../domain/chains/address-key.ts';
import { anomaliesOf, outcomeOf, type Outcome } from '../../domain/payment/outcome.ts';
import { readRaw } from '../shared/raw-amount.ts';
import {
  amountIn,
  depositPart,
  NO_EXECUTION,
  statusText,
  unknownStatus,
  unixSecondsOrNull,
  unpaidStatus,
} from '../shared/spec-status.ts';
import { NOTHING_SEEN, type Seen, type StoredChannel } from './channel-quote.ts';
import { errorOf, isDelivered, returnedBy } from './swap-end.ts';
import type { Egress, Swap } from './swap.ts';

type Json = Readonly<Record<string, unknown>>;

/** A report, and the facts to keep for the next one. */
export interface Status {
  readonly text: string;
  readonly word: string;
  readonly seen: Seen;
}

const BEFORE_SWAP: ReadonlySet<string> = new Set(['WAITING', 'RECEIVING']);
const UNDER_WAY: ReadonlySet<string> = new Set(['SWAPPING', 'SENDING', 'SENT']);
/** Statuses to which a failed payment does not return. */
const OPEN: ReadonlySet<string> = new Set(['AWAITING_DEPOSIT', 'EXPIRED', 'DEPOSIT_RECEIVED', 'EXECUTING']);
/** A fallback may begin in the block that shows an output; it would be visible two blocks of the state chain later. */
const FALLBACK_WITHIN_MS = 12_000;
/** How long after the end of a channel a block must bring a deposit that was seen. */
const VANISHED_AFTER_MS = 7_200_000;

/**
 * Builds the spec's Payment status object as JSON text. Pure. COMPLETED is a witnessed output with an amount, without a
 * failure and without a fallback: Chainflip says COMPLETED also for a refund, and FAILED also for a delivery whose dust was
 * refunded.
 */
export function toStatus(quote: StoredChannel, swap: Swap, now: Date): Status {
  const before = quote.seen ?? NOTHING_SEEN;
  const outcome = outcomeNow(quote, swap, now);
  const found = wordOf(quote, swap, now, before, outcome);
  const hasGoneOn = before.hasFailed && OPEN.has(found);
  const word = hasGoneOn ? 'FAILED' : found;
  const seen = seenNow(swap, before, word, now);
  const isEngaged = seen.deposit !== null || isStarted(swap);
  const parts = {
    // The state machine refuses a report that names another address.
    depositAddress: swap.depositAddress ?? quote.depositAddress,
    deposit: isEngaged ? depositOf(quote, swap, seen) : null,
    gas: null,
    execution: isEngaged ? executionOf(quote, swap, word, outcome, seen) : NO_EXECUTION,
  };
  const text = statusText(quote, word, parts, {
    error: word === 'FAILED' ? errorOf(quote, swap, hasGoneOn) : null,
    ...(word === 'COMPLETED' && outcome !== null ? anomaliesOf(outcome) : {}),
  });
  return { text, word, seen };
}

/** Whether the answer shows more than an open channel. */
function isStarted({ swapId, depositFailure, deposited, output, refund, fallback }: Swap): boolean {
  return [swapId, depositFailure, deposited, output, refund, fallback].some((part) => part !== null);
}

function wordOf(
  quote: StoredChannel,
  swap: Swap,
  now: Date,
  { deposit }: Seen,
  outcome: Outcome | null,
): string {
  const { state } = swap;
  if (!swap.isOurs) return `${unknownStatus('CHAINFLIP', state)}_OF_ANOTHER_SWAP`;
  if (state === 'WAITING' && deposit === null) return unpaidStatus(quote, asOf(swap, now));
  if (state === 'WAITING' && swap.isExpired && now.getTime() > quote.closesAtMs + VANISHED_AFTER_MS)
    return 'CHAINFLIP_DEPOSIT_VANISHED';
  if (BEFORE_SWAP.has(state)) return 'DEPOSIT_RECEIVED';
  if (UNDER_WAY.has(state)) return 'EXECUTING';
  if (outcome !== null) return outcome.status ?? 'CHAINFLIP_COMPLETED_WITHOUT_OUTPUT';
  if (state === 'COMPLETED' && swap.fallback !== null && swap.output?.witnessedAt)
    return 'CHAINFLIP_COMPLETED_WITH_FALLBACK';
  // A kept remainder was too small for a refund; the output may still be on its way.
  const isOnItsWay = swap.output?.failure === null && swap.fallback === null;
  if (state === 'COMPLETED' || (state === 'FAILED' && isOnItsWay)) return 'EXECUTING';
  return state === 'FAILED' ? 'FAILED' : unknownStatus('CHAINFLIP', state);
}

/** Data older than the expiry do not show whether a deposit came in time. */
function asOf({ updatedAt }: Swap, now: Date): Date {
  return updatedAt !== null && updatedAt < now ? updatedAt : now;
}

/** Null while the outcome is open. */
function outcomeNow(quote: StoredChannel, swap: Swap, now: Date): Outcome | null {
  const { state, output, refund } = swap;
  const hasOutput = isDelivered(swap);
  if (state !== 'COMPLETED' && !(state === 'FAILED' && hasOutput)) return null;
  const shownMs = asOf(swap, now).getTime() - (output?.witnessedAt?.getTime() ?? 0);
  if ((hasOutput && shownMs < FALLBACK_WITHIN_MS) || swap.fallback !== null) return null;
  // Chainflip also says FAILED for a refund that was too small to be sent, and for a delivery that was given up and still
  // arrived.
  const isExplained = (refund?.failure ?? output?.failure ?? null) !== null;
  const shown = {
    word: state === 'FAILED' && !isExplained ? 'failure' : 'success',
    transactions: hasOutput ? [outputHash(quote, swap) ?? []].flat() : [],
    arrived: hasOutput ? (output?.amount ?? null) : null,
    promised: BigInt(quote.minAmountOut),
    // Chainflip swaps a whole deposit and returns no excess: a refund without an output is a refund of the payment.
    returned: output === null && returnedBy(swap) !== 0n ? null : returnedBy(swap),
    asked: BigInt(quote.amount),
    deposited: swap.deposited,
    isUnfinished: !hasOutput && output?.failure === null,
  } as const;
  return outcomeOf(shown);
}

/** Null also for the hash of a deposit on another chain, which is a copied field. */
function outputHash({ from, to, seen }: StoredChannel, { output, depositTxRef }: Swap): string | null {
  const txRef = output?.txRef ?? null;
  const deposit = depositTxRef ?? seen?.deposit?.txHash ?? null;
  const isCopied = from.chainId !== to.chainId && addressKey(txRef ?? '') === addressKey(deposit ?? '');
  return isCopied ? null : txRef;
}

function seenNow(swap: Swap, before: Seen, word: string, now: Date): Seen {
  if (!swap.isOurs) return before;
  const isSeen = swap.state === 'RECEIVING' || swap.swapId !== null;
  const amount = swap.deposited?.toString() ?? before.deposit?.amount ?? null;
  const txHash = swap.depositTxRef ?? before.deposit?.txHash ?? null;
  return {
    swapId: swap.swapId ?? before.swapId,
    deposit: isSeen ? { amount, txHash } : before.deposit,
    startedMs: before.startedMs ?? (BEFORE_SWAP.has(swap.state) ? null : now.getTime()),
    hasFailed: before.hasFailed || word === 'FAILED',
  };
}

function depositOf(quote: StoredChannel, { deposited, depositTxRef }: Swap, { deposit }: Seen): Json {
  const paid = deposited ?? readRaw(deposit?.amount);
  return depositPart(quote, { paid, txHash: depositTxRef ?? deposit?.txHash ?? null });
}

function executionOf(
  quote: StoredChannel,
  swap: Swap,
  word: string,
  outcome: Outcome | null,
  { startedMs }: Seen,
): Json {
  const { startedAt, output, refund, fallback, depositTxRef } = swap;
  const { from, to } = quote;
  const isCompleted = word === 'COMPLETED';
  const isSent = isDelivered(swap);
  return {
    startedAt: unixSecondsOrNull(startedAt ?? (startedMs === null ? null : new Date(startedMs))),
    completedAt: isCompleted ? unixSecondsOrNull(output?.witnessedAt) : null,
    outputTxHash: isCompleted ? outputHash(quote, swap) : null,
    ...(isCompleted ? { completedBy: outcome?.by } : {}),
    steps: [
      ...(depositTxRef === null ? [] : [{ type: 'deposit', chainId: from.chainId, txHash: depositTxRef }]),
      ...stepOf('fill', to.chainId, output && { ...output, txRef: outputHash(quote, swap) }),
      ...stepOf('refund', from.chainId, refund),
      ...stepOf('fallback', to.chainId, fallback),
    ],
    ...(isSent && output?.amount ? { output: amountIn(output.amount, to) } : {}),
    ...(refund === null ? {} : { refund: refundOf(quote, swap, refund) }),
  };
}

/** A transaction that is not on its chain yet may be signed again, with another hash. */
function stepOf(type: string, chainId: number, egress: Egress | null): readonly Json[] {
  return egress?.witnessedAt && egress.txRef !== null ? [{ type, chainId, txHash: egress.txRef }] : [];
}

function refundOf({ from, refundTo }: StoredChannel, { reason }: Swap, refund: Egress): Json {
  const isDone = refund.witnessedAt !== null;
  return {
    state: isDone ? 'refunded' : refund.failure === null ? 'refunding' : 'failed',
    ...amountIn(refund.amount, from),
    reason,
    refundedTo: refundTo,
    chainId: from.chainId,
    txHash: isDone ? refund.txRef : null,
  };
}
