import { depositNote, sideOf, type SpecQuote } from '../../shared/spec-quote.ts';
import type { QuoteOrder } from './relay-order.ts';
import { fromRaw } from '../../shared/raw-amount.ts';
import type { Offer } from './parse-relay-quote.ts';

const OTHER_AMOUNTS = 'another amount delayed or refunded';

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
