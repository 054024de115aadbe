import type { QuoteOrder } from './relay-order.ts';
import type { RelayChain } from '../catalog/parse-chains.ts';
import type { QuotedToken } from '../../shared/spec-quote.ts';
import type { RouteToken } from '../../shared/spec-status.ts';
import type { Offer } from './parse-relay-quote.ts';
import type { RelayQuote } from './relay-quote.ts';

/** Combines an order and Relay's offer to the quote that is stored. */
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
    recipient,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + ttlSeconds * 1_000),
  };
}

function routeToken({ id, name }: RelayChain, { address, symbol, decimals }: QuotedToken): RouteToken {
  return { chainId: id, chainName: name, address, symbol, decimals };
}
