import { isStatus, type Status } from '../../../domain/payment/status.ts';
import { matchOf, amountReport } from '../deposit-match.ts';
import { errorOf } from '../failure-reasons.ts';
import { liveRequest, type LiveRequest } from './live-request.ts';
import { fromRaw } from '../quote/raw-amount.ts';
import type { RelayQuote, RouteToken } from '../quote/relay-quote.ts';
import type { RelayRequest } from './relay-request.ts';
import { hasDeposit, phaseOf, type Phase } from './request-phase.ts';
import { executionOf, NO_EXECUTION } from './to-execution.ts';
import { unixSeconds, unixSecondsOrNull } from '../unix-seconds.ts';

type Json = Readonly<Record<string, unknown>>;

/** How a merchant wants to be told. */
export interface StatusRules {
  /** A payment that Relay delivered though too little was paid is FAILED, not COMPLETED. */
  readonly failsUnderpaid: boolean;
}

/** As Relay has it. */
const DELIVERED_IS_DONE: StatusRules = { failsUnderpaid: false };

/** Relay has no expiry: a deposit of the last second still gets so long to be seen by Relay. */
const EXPIRY_GRACE_MS = 5_000;
/** Whoever pays an open address again and again must not grow the report for ever. */
const MAX_FURTHER_AMOUNTS = 10;

const STATUS_OF_PHASE: Readonly<Record<Exclude<Phase, 'awaiting' | 'unknown'>, Status>> = {
  received: 'DEPOSIT_RECEIVED',
  executing: 'EXECUTING',
  completed: 'COMPLETED',
  refunded: 'FAILED',
  failed: 'FAILED',
};

/**
 * The spec's Payment status object, as JSON text, by all that Relay has on the quote's address. Equal facts give an equal
 * text; `now` only decides whether a quote without a deposit is EXPIRED. Pure.
 */
export function specStatus(
  quote: RelayQuote,
  requests: readonly RelayRequest[],
  now: Date,
  rules: StatusRules = DELIVERED_IS_DONE,
): string {
  const live = liveRequest(quote, requests);
  const { request } = live;
  const isShort = rules.failsUnderpaid && request !== null && isUnderpaid(quote, request);
  const status = isShort ? 'FAILED' : statusOf(quote, request, now);
  const isReported = request !== null && (hasDeposit(request) || phaseOf(request) === 'failed');
  return JSON.stringify({
    success: true,
    quoteId: quote.quoteId,
    status,
    createdAt: unixSeconds(quote.createdAt),
    expiresAt: unixSeconds(quote.expiresAt),
    depositAddress: quote.depositAddress,
    deposit: request !== null && hasDeposit(request) ? depositOf(quote, request, live) : null,
    gas: request === null ? null : gasOf(quote, request),
    execution: isReported ? executionOf(quote, request) : NO_EXECUTION,
    route: {
      from: routeEnd(quote.from),
      to: routeEnd(quote.to),
      amount: quote.amount,
      recipient: quote.recipient,
    },
    error: request === null ? null : isShort ? shortfallOf(quote, request) : errorOf(request),
  });
}

function statusOf(quote: RelayQuote, request: RelayRequest | null, now: Date): string {
  const phase = request === null ? 'awaiting' : phaseOf(request);
  if (phase === 'unknown') return unknownWord(request?.status ?? '');
  if (phase !== 'awaiting') return STATUS_OF_PHASE[phase];
  const isOver = now.getTime() >= quote.expiresAt.getTime() + EXPIRY_GRACE_MS;
  return isOver ? 'EXPIRED' : 'AWAITING_DEPOSIT';
}

/** Told as it is, so that operators see it; but it must never pass for one of the spec's own statuses. */
function unknownWord(word: string): string {
  return isStatus(word.toUpperCase()) ? `relay:${word}` : word;
}

/** What came in another token or on another chain is not what was asked for, whatever its number says. */
function isUnderpaid(quote: RelayQuote, request: RelayRequest): boolean {
  const { deposited } = request;
  if (phaseOf(request) !== 'completed' || deposited === null || deposited.raw === null) return false;
  const match = matchOf(quote, deposited);
  return match === 'underpaid' || (match === null && deposited.address !== null);
}

function shortfallOf(quote: RelayQuote, { deposited }: RelayRequest): string {
  const { symbol, decimals } = quote.from;
  const { amount, token } = amountReport(deposited, quote.from);
  const asked = fromRaw(quote.amount, decimals);
  if (matchOf(quote, deposited) === 'underpaid')
    return `UNDERPAID: ${amount} ${symbol} came instead of ${asked}, and was delivered.`;
  const came = `${amount ?? 'an amount'} of ${deposited?.symbol ?? token ?? 'another token'} on chain ${deposited?.chainId ?? 'unknown'}`;
  return `UNDERPAID: ${came} came instead of ${asked} ${symbol}, and was delivered.`;
}

function depositOf(quote: RelayQuote, request: RelayRequest, { further }: LiveRequest): Json {
  const { depositAddress, deposited, inTxs } = request;
  const { amount, amountRaw, token } = amountReport(deposited, quote.from);
  return {
    txHash: depositAddress?.depositTxHash ?? null,
    from: depositAddress?.depositor ?? null,
    amount,
    amountRaw,
    expectedAmount: fromRaw(quote.amount, quote.from.decimals),
    expectedAmountRaw: quote.amount,
    token,
    match: matchOf(quote, deposited),
    detectedAt: unixSecondsOrNull(inTxs[0]?.at),
    sweepTxHash: inTxs[0]?.txHash ?? null,
    ...(further.length === 0 ? {} : { further: furtherOf(quote, further) }),
  };
}

function furtherOf(quote: RelayQuote, further: readonly RelayRequest[]): Json {
  const amounts = further
    .slice(0, MAX_FURTHER_AMOUNTS)
    .map(({ deposited }) => amountReport(deposited, quote.from));
  return { count: further.length, amounts };
}

function gasOf(quote: RelayQuote, request: RelayRequest): Json | null {
  const { gasTopup } = request;
  if (gasTopup === null || gasTopup.raw === '0' || phaseOf(request) !== 'completed') return null;
  return { ...amountReport(gasTopup, quote.to), symbol: gasTopup.symbol };
}

function routeEnd({ chainId, chainName, address }: RouteToken): Json {
  return { chainId, chainName, token: address };
}
