import type { QuoteFees } from './quote-fees.ts';
import type { QuoteOrder } from './relay-order.ts';
import { fromRaw } from '../../shared/raw-amount.ts';
import type { RelayChain } from '../catalog/parse-chains.ts';
import type { Offer, OfferedToken } from './parse-relay-quote.ts';

/** The spec's Quote object; fields that Relay does not state are left out. */
export interface SpecQuote {
  readonly success: true;
  readonly quoteId: string;
  readonly expiresIn: number;
  readonly send: {
    readonly depositAddress: string;
    readonly chain: { readonly id: number; readonly name: string };
    readonly token: OfferedToken;
    readonly amount: string;
  };
  readonly receive: {
    readonly chain: { readonly id: number; readonly name: string };
    readonly token: OfferedToken;
    readonly estimatedAmount: string;
    readonly estimatedAmountUsd?: string;
  };
  readonly recipient: string;
  readonly fees: QuoteFees;
  readonly estimatedTime?: string;
  readonly steps: number;
  readonly statusUrl: string;
  readonly depositNote: string;
}

/** Builds the spec's Quote object; `expiresIn` is in seconds. */
export function toQuote(quoteId: string, order: QuoteOrder, offer: Offer, expiresIn: number): SpecQuote {
  const { depositAddress, from, to, fees, steps, receiveUsd, estimateSeconds } = offer;
  const amount = fromRaw(offer.sendAmount, from.decimals);
  return {
    success: true,
    quoteId,
    expiresIn,
    send: { depositAddress, chain: chainOf(order.from.chain), token: from, amount },
    receive: {
      chain: chainOf(order.to.chain),
      token: to,
      estimatedAmount: fromRaw(offer.receiveAmount, to.decimals),
      ...(receiveUsd === null ? {} : { estimatedAmountUsd: receiveUsd }),
    },
    recipient: order.recipient,
    fees,
    ...(estimateSeconds === null ? {} : { estimatedTime: `${estimateSeconds}s` }),
    steps,
    statusUrl: `/api/status/${quoteId}`,
    depositNote: noteOf(`${amount} ${from.symbol}`, order.from.chain.name, expiresIn),
  };
}

function noteOf(amount: string, chainName: string, expiresIn: number): string {
  return [
    `Send exactly ${amount} on ${chainName} to this address, in one transfer, within ${expiresIn} seconds.`,
    `The address is for this payment only: another token or another chain may be lost, another amount delayed or refunded.`,
    `Pay from your own wallet, not from an exchange: exchanges send late, deduct a fee, and may not take a refund back.`,
  ].join(' ');
}

function chainOf({ id, name }: RelayChain): { id: number; name: string } {
  return { id, name };
}
