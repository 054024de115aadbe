import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { addressKey } from '../../domain/chains/address-key.ts';
import { ProviderAtCapacity } from '../../ports/provider-at-capacity.ts';
import type { ProviderRefused, ProviderUnavailable } from '../../ports/payment-provider.ts';
import { readAsset } from '../shared/listed-assets.ts';
import { type Meaning, meaningOf, refundAddress, refused, refuseRecipient } from '../shared/order-checks.ts';
import { fromRaw, toRaw } from '../shared/raw-amount.ts';
import type { Asset, Assets } from './assets.ts';

/** The provider's name in sentences. */
const TITLE = 'Chainflip';

/** A quote request in Chainflip's terms, checked as far as possible without asking Chainflip. */
export interface Order {
  readonly from: Asset;
  readonly to: Asset;
  /** Digits in the smallest unit of the origin token. */
  readonly amount: string;
  readonly recipient: string;
  readonly refundTo: string;
}

/** How long Paybell does not ask again about a recipient and pair without a free channel. */
export const FULL_FOR_MS = 300_000;
const TOO_MANY = /too many channels/i;
const LEAST = /below minimum swap amount \((\d{1,60})\)/i;
const NOT_ADDRESS = /^Address "(.{1,200})" is not a valid/;
/** Chainflip keeps a deposit below the minimum: a payer whose wallet deducts a fee must stay above it. */
const [MARGIN, WHOLE] = [12n, 10n];
const MEANINGS: readonly Meaning[] = [
  { pattern: /above maximum/i, words: 'The amount is too large.', field: 'amount' },
  {
    pattern: /liquidity/i,
    words: 'There is not enough liquidity for this amount on this route now.',
    field: 'amount',
  },
  {
    pattern: /ingress fee|egress/i,
    words: 'The amount is too small: the fees would take it.',
    field: 'amount',
  },
  { pattern: /cannot be swapped/i, words: 'There is no route from this token to that one.', field: null },
];

/** Throws ProviderRefused, which names the faulty field. */
export function readOrder(
  request: QuoteRequest,
  assets: Assets,
  refundTo: ReadonlyMap<string, string>,
): Order {
  const from = readAsset(request, 'from', assets.from, TITLE);
  const to = readAsset(request, 'to', assets.to, TITLE);
  refuseRecipient(request.recipient, to.chain);
  if (from === to)
    throw refused('This token is what would be received: there is nothing to swap.', 'toToken');
  return {
    from,
    to,
    amount: toRaw(request.amount, from),
    recipient: request.recipient,
    refundTo: refundAddress(request, from.chain, {
      inSettings: refundTo.get(from.chain.vmType),
      setting: 'CHAINFLIP_REFUND_TO',
    }),
  };
}

/** Throws ProviderRefused for less than the minimum deposit plus a fifth. */
export function refuseTooLittle({ from, amount }: Order, least: bigint): void {
  if (BigInt(amount) * WHOLE < least * MARGIN) throw tooLittle(from, least);
}

/** Channels with the same recipient and pair count against one limit, whatever the letter case of the address. */
export function slotOf({ from, to, recipient }: Order): string {
  return `to ${addressKey(recipient)} for ${from.symbol} (${from.chain.name}) to ${to.symbol} (${to.chain.name})`;
}

/** Converts Chainflip's 400 to a refusal for the merchant: its meaning, then Chainflip's words. */
export function refusalOf(message: string, order: Order): ProviderRefused | ProviderUnavailable {
  if (TOO_MANY.test(message)) return atCapacity(order);
  const least = LEAST.exec(message)?.[1];
  // Chainflip's minimum is in the smallest unit, which payers do not know.
  if (least !== undefined) return tooLittle(order.from, BigInt(least));
  const address = NOT_ADDRESS.exec(message)?.[1];
  if (address !== undefined) {
    const field = addressKey(address) === addressKey(order.recipient) ? 'recipient' : 'refundTo';
    return refused(`Chainflip does not take this ${field}.`, field);
  }
  const { words, field } = meaningOf(message, MEANINGS);
  return refused(message === '' ? words : `${words} Chainflip says: ${message}`, field);
}

export function atCapacity(order: Order): ProviderAtCapacity {
  return new ProviderAtCapacity(
    `as many channels are open as Chainflip allows ${slotOf(order)}`,
    FULL_FOR_MS,
  );
}

function tooLittle({ decimals, symbol }: Asset, least: bigint): ProviderRefused {
  const enough = (least * MARGIN + WHOLE - 1n) / WHOLE;
  return refused(
    `The amount is too small. At least ${fromRaw(enough, decimals)} ${symbol}: Chainflip keeps a deposit below ${fromRaw(least, decimals)}.`,
    'amount',
  );
}
