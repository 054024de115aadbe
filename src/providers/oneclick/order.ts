import type { QuoteRequest } from '../../domain/payment/quote.ts';
import type { ProviderRefused } from '../../ports/payment-provider.ts';
import { readAsset } from '../shared/listed-assets.ts';
import { type Meaning, meaningOf, refundAddress, refused, refuseRecipient } from '../shared/order-checks.ts';
import { fromRaw, toRaw } from '../shared/raw-amount.ts';
import type { Asset, Assets } from './assets.ts';

/** A quote request in 1Click's terms, checked as far as possible without asking 1Click. */
export interface Order {
  readonly from: Asset;
  readonly to: Asset;
  /** Digits in the smallest unit of the origin token; with an exact output, of the destination token. */
  readonly amount: string;
  readonly isExactOutput: boolean;
  readonly recipient: string;
  /** Where 1Click sends back an amount that it does not deliver. */
  readonly refundTo: string;
}

/** Refund addresses by the origin chain's `vmType`. */
export type RefundTo = ReadonlyMap<string, string>;

/** The provider's name in sentences. */
export const TITLE = '1Click';
/** Chains on which all payers share one deposit address, and a memo tells them apart. */
const MEMO_CHAINS: ReadonlySet<string> = new Set(['stellar']);

export function needsMemo({ chain }: Asset): boolean {
  return MEMO_CHAINS.has(chain.vmType);
}

/** Throws ProviderRefused, which names the faulty field. */
export function readOrder(request: QuoteRequest, assets: Assets, refundTo: RefundTo): Order {
  const from = readAsset(request, 'from', assets, TITLE);
  const to = readAsset(request, 'to', assets, TITLE);
  refuseRecipient(request.recipient, to.chain);
  const isExactOutput = request.amountIs === 'receive';
  return {
    from,
    to,
    amount: toRaw(request.amount, isExactOutput ? to : from),
    isExactOutput,
    recipient: request.recipient,
    // 1Click gives no quote without a refund address.
    refundTo: refundAddress(request, from.chain, {
      inSettings: refundTo.get(from.chain.vmType),
      setting: 'ONECLICK_REFUND_TO',
    }),
  };
}

const TOO_LOW = /amount is too low.*?try at least (\d{1,80})/i;
const MEANINGS: readonly Meaning[] = [
  {
    pattern: /tokenIn|origin asset|originAsset/i,
    words: 'This token cannot be paid with.',
    field: 'fromToken',
  },
  { pattern: /tokenOut|destination asset/i, words: 'This token cannot be received.', field: 'toToken' },
  { pattern: /recipient|withdraw to exchange/i, words: 'The recipient cannot be paid.', field: 'recipient' },
  {
    pattern: /refundTo/i,
    words: 'The refund address, of the request or of ONECLICK_REFUND_TO, is not valid on this chain.',
    field: 'refundTo',
  },
  { pattern: /amount is too low|minimum swap amount/i, words: 'The amount is too small.', field: 'amount' },
  {
    pattern: /liquidity|no quotes|no_quote|failed to get quote|pair is not available/i,
    words: 'There is no route for this now.',
    field: null,
  },
];

/** Converts 1Click's refusal to a refusal for the merchant: its meaning, then 1Click's words. */
export function refusalOf(message: string, { from, to, isExactOutput }: Order): ProviderRefused {
  const { words, field } = meaningOf(message, MEANINGS);
  // 1Click's minimum is in the smallest unit, which payers do not know.
  const least = TOO_LOW.exec(message)?.[1];
  const counted = isExactOutput ? to : from;
  if (least !== undefined)
    return refused(`${words} At least ${fromRaw(least, counted.decimals)} ${counted.symbol}.`, field);
  return refused(message === '' ? words : `${words} 1Click says: ${message}`, field);
}
