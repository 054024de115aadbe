import { fromRaw } from '../shared/raw-amount.ts';
import { amountIn } from '../shared/spec-status.ts';
import type { StoredSwap, Swap } from './swap.ts';

type Json = Readonly<Record<string, unknown>>;

/** 1Click's reasons for a refund in plain words. The list is open: an unknown reason is reported unchanged. */
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
 * The last transaction after the deposits. If the deposits were not seen before the end, the last of several transactions.
 */
export function refundHashOf({ word, originHashes }: Swap, deposits: readonly string[]): string | null {
  const later = originHashes.filter((hash) => !deposits.includes(hash));
  if (deposits.length > 0) return later.at(-1) ?? null;
  return word === 'REFUNDED' && originHashes.length > 1 ? (originHashes.at(-1) ?? null) : null;
}

export function refundOf(quote: StoredSwap, { refunded, refundReason }: Swap, txHash: string | null): Json {
  return {
    state: 'refunded',
    ...amountIn(refunded === 0n ? null : refunded, quote.from),
    reason: refundReason,
    refundedTo: quote.refundTo,
    chainId: quote.from.chainId,
    txHash,
  };
}

export function errorOf(quote: StoredSwap, swap: Swap): string {
  const { word, refunded, refundReason, deposited } = swap;
  const { decimals, symbol, chainName } = quote.from;
  const reason =
    refundReason === null ? shortfallOf(quote, deposited) : (REASONS[refundReason] ?? refundReason);
  if (word === 'FAILED' && refunded === 0n) return reason ?? 'the provider failed, and gave no reason';
  const amount =
    refunded === 0n ? 'an amount that 1Click does not say' : `${fromRaw(refunded, decimals)} ${symbol}`;
  const back = `${amount} went back to ${quote.refundTo} on ${chainName}`;
  return `REFUNDED: ${back}${reason === null ? '' : `: ${reason}`}`;
}

function shortfallOf(quote: StoredSwap, deposited: bigint | null): string | null {
  if (deposited === null || deposited >= BigInt(quote.minAmountIn)) return null;
  const { decimals, symbol } = quote.from;
  return `${fromRaw(deposited, decimals)} ${symbol} came instead of ${fromRaw(quote.amount, decimals)}`;
}
