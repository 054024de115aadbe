import type { Offer } from './parse-relay-quote.ts';
import type { QuoteOrder } from './relay-order.ts';
import type { RelayChain } from '../catalog/parse-chains.ts';
import type { QuotedToken } from '../../shared/spec-quote.ts';
import type { RoutedQuote, RouteToken } from '../../shared/spec-status.ts';

/**
 * The beginning of a restored quote's request id: before a deposit Relay may list no request, and later requests are found by
 * the address.
 */
export const UNLISTED = 'restored:';

/** The stored part of Relay's quote, from which its status is read later. Amounts are digits in the smallest unit. */
export interface RelayQuote extends RoutedQuote {
  /** Relay's id, which is opaque. */
  readonly requestId: string;
  /** In exactly the form that the payer saw. */
  readonly depositAddress: string;
  /** True: another quote has the same address, on another chain. */
  readonly isAddressShared?: true;
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
