import type { ProviderRefused } from '../../ports/payment-provider.ts';
import { refused } from '../shared/order-checks.ts';
import { fromRaw } from '../shared/raw-amount.ts';
import type { Order } from './order.ts';

interface Meaning {
  readonly pattern: RegExp;
  readonly words: string;
  readonly field: string | null;
}

const TOO_LOW = /amount is too low.*?try at least (\d{1,80})/i;
/** 1Click's errors have no codes, so their words decide. */
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
  const { words, field } = MEANINGS.find(({ pattern }) => pattern.test(message)) ?? {
    words: 'The payment provider refused this.',
    field: null,
  };
  // 1Click's minimum is in the smallest unit, which payers do not know.
  const least = TOO_LOW.exec(message)?.[1];
  const counted = isExactOutput ? to : from;
  if (least !== undefined)
    return refused(`${words} At least ${fromRaw(least, counted.decimals)} ${counted.symbol}.`, field);
  return refused(message === '' ? words : `${words} 1Click says: ${message}`, field);
}
