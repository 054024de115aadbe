import type { Offer } from './parse-relay-quote.ts';
import type { QuoteOrder } from './relay-order.ts';
import type { RelayChain } from '../catalog/parse-chains.ts';
import { fromRaw } from '../../shared/raw-amount.ts';
import { depositNote, sideOf, type QuotedToken, type SpecQuote } from '../../shared/spec-quote.ts';
import type { RoutedQuote, RouteToken } from '../../shared/spec-status.ts';

const OTHER_AMOUNTS = 'another amount delayed or refunded';
/**
 * The beginning of a restored quote's request id: before a deposit Relay may list no request, and later requests are found by
 * the address.
 */
export const UNLISTED = 'restored:';

/** The stored part of Relay's quote, which its later status needs. Amounts are digits in the smallest unit. */
export interface RelayQuote extends RoutedQuote {
  /** Relay's id, which is opaque. */
  readonly requestId: string;
  /** The address in exactly the form that the payer saw. */
  readonly depositAddress: string;
  /** True: another quote has the same address, on another chain. */
  readonly isAddressShared?: true;
}

/** Builds the spec's Quote object; `expiresIn` is in seconds. */
export function toQuote(quoteId: string, order: QuoteOrder, offer: Offer, expiresIn: number): SpecQuote {
  const {
    depositAddress,
    from,
    to,
    fees,
    steps,
    receiveUsd,
    estimateSeconds,
    minReceiveAmount: least,
  } = offer;
  const amount = fromRaw(offer.sendAmount, from.decimals);
  return {
    success: true,
    quoteId,
    expiresIn,
    send: { depositAddress, ...sideOf(order.from.chain, from), amount },
    receive: {
      ...sideOf(order.to.chain, to),
      estimatedAmount: fromRaw(offer.receiveAmount, to.decimals),
      ...(receiveUsd === null ? {} : { estimatedAmountUsd: receiveUsd }),
      ...(least === null ? {} : { minimumAmount: fromRaw(least, to.decimals) }),
    },
    recipient: order.recipient,
    fees,
    ...(estimateSeconds === null ? {} : { estimatedTime: `${estimateSeconds}s` }),
    steps,
    statusUrl: `/api/status/${quoteId}`,
    depositNote: depositNote(`${amount} ${from.symbol}`, order.from.chain.name, expiresIn, OTHER_AMOUNTS),
  };
}

/** Combines an order and Relay's offer into the quote that is stored. */
export function toStoredQuote(
  quoteId: string,
  { from, to, recipient }: QuoteOrder,
  { requestId, depositAddress, ...offer }: Offer,
  createdAt: Date,
  ttlSeconds: number,
): RelayQuote {
  return {
    quoteId,
    requestId,
    depositAddress,
    from: routeToken(from.chain, offer.from),
    to: routeToken(to.chain, offer.to),
    amount: offer.sendAmount.toString(),
    minAmountOut: offer.minReceiveAmount?.toString() ?? null,
    recipient,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + ttlSeconds * 1_000),
  };
}

function routeToken({ id, name }: RelayChain, { address, symbol, decimals }: QuotedToken): RouteToken {
  return { chainId: id, chainName: name, address, symbol, decimals };
}
