import { addressKey } from '../../../domain/chains/address-key.ts';
import { anomaliesOf, outcomeOf, type Outcome } from '../../../domain/payment/outcome.ts';
import type { Status } from '../../../domain/payment/status.ts';
import { isOfToken, matchOf, toReportedAmount } from './deposit-match.ts';
import { errorOf } from './failure-reasons.ts';
import { liveRequest, type LiveRequest } from './live-request.ts';
import { fromRaw } from '../../shared/raw-amount.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayAmount, RelayRequest } from './relay-request.ts';
import { hasDeposit, outputOf, phaseOf, type Phase } from './request-phase.ts';
import type { RoutedRequest } from './routed-request.ts';
import {
  NO_EXECUTION,
  statusText,
  unknownStatus,
  unpaidStatus,
  unixSecondsOrNull,
} from '../../shared/spec-status.ts';
import { toExecution } from './to-execution.ts';

type Json = Readonly<Record<string, unknown>>;

/** Repeated deposits to an open address must not grow the report without limit. */
const MAX_FURTHER_AMOUNTS = 10;

const STATUS_OF_PHASE: Readonly<Record<Exclude<Phase, 'awaiting' | 'unknown'>, Status>> = {
  received: 'DEPOSIT_RECEIVED',
  executing: 'EXECUTING',
  completed: 'COMPLETED',
  refunded: 'FAILED',
  failed: 'FAILED',
};

/**
 * Builds the spec's Payment status object, as JSON text, from all of Relay's requests on the quote's address. Pure: equal
 * requests give an equal text, and `now` only decides whether a quote without a deposit is EXPIRED.
 */
export function toStatus(quote: RelayQuote, requests: readonly RelayRequest[], now: Date): string {
  const live = liveRequest(quote, requests);
  const isDenied = live.request !== null && deniesOutput(quote, live.request);
  const request = isDenied && live.request !== null ? { ...live.request, status: 'success' } : live.request;
  const outcome = request === null ? null : outcomeOfSuccess(quote, request, isDenied);
  const status = statusOf(quote, request, now);
  const isEngaged = request !== null && (hasDeposit(request) || phaseOf(request) === 'failed');
  const parts = {
    depositAddress: reportedAddress(quote, requests),
    deposit: request !== null && hasDeposit(request) ? depositOf(quote, request, live) : null,
    gas: request === null ? null : gasOf(quote, request),
    execution: isEngaged ? toExecution(quote, request, outcome?.by ?? null) : NO_EXECUTION,
  };
  return statusText(quote, status, parts, {
    error: request === null ? null : errorOf(request),
    ...(outcome === null ? {} : anomaliesOf(outcome)),
  });
}

/** Null before the success. */
function outcomeOfSuccess(quote: RelayQuote, request: RoutedRequest, isDenied: boolean): Outcome | null {
  if (phaseOf(request) !== 'completed') return null;
  const { transactions, arrived, returned } = outputOf(request);
  const { delivered, deposited, refunded } = request;
  const isPromised = delivered !== null && isOfToken(delivered, quote.to);
  const isPayment = deposited !== null && deposited.raw !== null && isOfToken(deposited, quote.from);
  const isSame = returned === 0n || refunded === null || isOfToken(refunded, quote.from);
  const shown = {
    word: isDenied ? 'failure' : 'success',
    transactions,
    arrived,
    promised: isPromised && quote.minAmountOut !== null ? BigInt(quote.minAmountOut) : null,
    returned: isSame ? returned : null,
    asked: BigInt(quote.amount),
    deposited: isPayment ? BigInt(deposited.raw ?? 0) : null,
    isUnfinished: false,
  } as const;
  return outcomeOf(shown);
}

/**
 * Whether Relay reports a failure beside a transfer that it calls done. If Relay reports a refund, or another transfer on that
 * chain failed, an amount of the promised token is required too: on one chain the transfer may be the refund.
 */
function deniesOutput(quote: RelayQuote, request: RoutedRequest): boolean {
  const phase = phaseOf(request);
  const isRefused = phase === 'failed' || (phase === 'refunded' && request.status !== 'success');
  if (!isRefused || quote.from.chainId === quote.to.chainId) return false;
  const isDone = ({ chainId, status, txHash }: RoutedRequest['fills'][number]) =>
    chainId === quote.to.chainId && status === 'success' && txHash !== null;
  const hasFailed = request.outTxs.some((tx) => tx.chainId === quote.to.chainId && tx.status === 'failure');
  const arrived = request.arrived ?? (phase === 'failed' && !hasFailed ? null : 0n);
  return arrived !== 0n && request.fills.some(isDone);
}

/** The quote's address, unless Relay names another one for the quote's own request: the state machine refuses that report. */
function reportedAddress(quote: RelayQuote, requests: readonly RelayRequest[]): string {
  const own = requests.find(({ id }) => id === quote.requestId)?.depositAddress ?? null;
  const isOther = own !== null && addressKey(own.address) !== addressKey(quote.depositAddress);
  return isOther ? own.address : quote.depositAddress;
}

function statusOf(quote: RelayQuote, request: RoutedRequest | null, now: Date): string {
  const phase = request === null ? 'awaiting' : phaseOf(request);
  if (phase === 'unknown' && request?.status === 'success') return 'RELAY_SUCCESS_WITHOUT_OUTPUT';
  if (phase === 'unknown') return unknownStatus('RELAY', request?.status ?? '');
  if (phase !== 'awaiting') return STATUS_OF_PHASE[phase];
  return unpaidStatus(quote, now);
}

/** The domain reports a deposit on another chain than the quote's with the chain's number. */
function isElsewhere({ from }: RelayQuote, deposited: RelayAmount | null): boolean {
  return (deposited?.chainId ?? from.chainId) !== from.chainId;
}

function depositOf(quote: RelayQuote, request: RoutedRequest, { further }: LiveRequest): Json {
  const { depositAddress, deposited, inTxs } = request;
  const { amount, amountRaw, token } = toReportedAmount(deposited, quote.from);
  return {
    txHash: depositAddress?.depositTxHash ?? null,
    from: depositAddress?.depositor ?? null,
    amount,
    amountRaw,
    expectedAmount: fromRaw(quote.amount, quote.from.decimals),
    expectedAmountRaw: quote.amount,
    token,
    ...(isElsewhere(quote, deposited) ? { chainId: deposited?.chainId } : {}),
    match: matchOf(quote, deposited),
    detectedAt: unixSecondsOrNull(inTxs[0]?.at),
    sweepTxHash: inTxs[0]?.txHash ?? null,
    ...(further.length === 0 ? {} : { further: furtherOf(quote, further) }),
  };
}

function furtherOf(quote: RelayQuote, further: readonly RelayRequest[]): Json {
  const amounts = further
    .slice(0, MAX_FURTHER_AMOUNTS)
    .map(({ deposited }) => toReportedAmount(deposited, quote.from));
  return { count: further.length, amounts };
}

function gasOf(quote: RelayQuote, request: RoutedRequest): Json | null {
  const { gasTopup } = request;
  if (gasTopup === null || gasTopup.raw === '0' || phaseOf(request) !== 'completed') return null;
  return { ...toReportedAmount(gasTopup, quote.to), symbol: gasTopup.symbol };
}
