import { fromRaw } from '../shared/raw-amount.ts';
import type { StoredChannel } from './channel-quote.ts';
import type { Swap } from './swap.ts';

const REJECTED = 'TransactionRejectedByBroker';
const REFUND_GIVEN_UP =
  'the refund was given up: Chainflip may sign it again, and on EVM chains anybody may send it';
const FAILURES: Readonly<Record<string, string>> = {
  SWAP_OUTPUT_TOO_SMALL: 'the output was too small to be delivered, and was kept by the protocol',
  REFUND_OUTPUT_TOO_SMALL: 'the refund was too small to be sent, and was kept by the protocol',
  SENDING_FAILED:
    'the delivery was given up: Chainflip may sign it again, and on EVM chains anybody may send it',
};

/** Whether the output was delivered. An output that was aborted and still arrived later keeps its failure. */
export function isDelivered({ output, fallback, isOurs }: Swap): boolean {
  const isGood = output?.failure === null || output?.failure === 'SENDING_FAILED';
  return isOurs && isGood && output.amount !== null && output.witnessedAt !== null && fallback === null;
}

/**
 * The amount that went back; 0: none, null: not stated. A refund that was given up and still arrived later keeps its failure.
 */
export function returnedBy({ refund }: Swap): bigint | null {
  if (refund === null) return 0n;
  const { amount, failure, witnessedAt } = refund;
  const isGood = failure === null || (failure === 'SENDING_FAILED' && witnessedAt !== null);
  if (!isGood) return 0n;
  return amount ?? (witnessedAt === null ? 0n : null);
}

/** Why a payment is FAILED. `hasGoneOn`: a later deposit to its channel is on its way. */
export function errorOf(quote: StoredChannel, swap: Swap, hasGoneOn: boolean): string {
  if (hasGoneOn) return 'a former deposit has failed; another one is on its way';
  const { from, refundTo } = quote;
  const { depositFailure, output, refund, fallback, reason } = swap;
  const place = `to ${refundTo} on ${from.chainName}`;
  if (fallback !== null) {
    const { amount, destination } = fallback;
    const what = amount === null ? 'the output' : `${fromRaw(amount, quote.to.decimals)} ${quote.to.symbol}`;
    return `the recipient could not take the output: ${what} went to ${destination ?? 'a fallback address'}`;
  }
  const why = depositFailure?.message ?? reason ?? 'the minimum price was not met';
  const returned = returnedBy(swap);
  const amount =
    returned === null
      ? 'an amount that Chainflip does not say'
      : `${fromRaw(returned, from.decimals)} ${from.symbol}`;
  if (returned !== 0n) return `REFUNDED: ${amount} went back ${place}: ${why}`;
  if (depositFailure?.name === REJECTED) return `REFUNDED: the deposit was rejected, and goes back ${place}`;
  if (depositFailure !== null)
    return `${depositFailure.message}: it was kept by the protocol. A sufficient deposit to the address is still swapped`;
  if ((output?.failure ?? null) === null && refund?.failure === 'SENDING_FAILED') return REFUND_GIVEN_UP;
  const mode = output?.failure ?? refund?.failure ?? '';
  return FAILURES[mode] ?? 'the provider failed, and gave no reason';
}
