import { storedToken, type StoredToken } from '../shared/listed-assets.ts';
import type { StoredQuote } from '../shared/quote-store.ts';
import { type Names, namesOf } from './assets.ts';
import type { Opened } from './open-channel.ts';
import { type Order, slotOf } from './order.ts';
import type { Price } from './price.ts';

/** The part of a quote that its later status needs. Amounts are digits in the smallest unit. */
export interface ChannelQuote {
  readonly depositAddress: string;
  readonly channelId: string;
  readonly from: StoredToken;
  readonly to: StoredToken;
  /** Chainflip's names for both tokens. */
  readonly source: Names;
  readonly destination: Names;
  readonly amount: string;
  readonly recipient: string;
  readonly refundTo: string;
  /** The least amount that arrives, at the quote's fees. */
  readonly minAmountOut: string;
  /** The limit against which the channel counts, as `slotOf` names it. */
  readonly slot: string;
  /** The time from which Chainflip's backend knows the channel; null: from the start. */
  readonly askedFromMs: number | null;
  readonly closesAtMs: number;
  readonly seen?: Seen;
}

/** Facts of a channel that earlier answers showed, since a later answer may lack them. */
export interface Seen {
  /** The swap of this payment: asked by its channel, Chainflip shows only the newest swap. */
  readonly swapId: string | null;
  /** A deposit that was seen before its confirmation. */
  readonly deposit: { readonly amount: string | null; readonly txHash: string | null } | null;
  /** When an answer first reported the start of the swap, in milliseconds since 1970; null: no answer has. */
  readonly startedMs: number | null;
  /** The payment has failed, but a later deposit to the channel may still be delivered. */
  readonly hasFailed: boolean;
}

export type StoredChannel = StoredQuote & ChannelQuote;

export const NOTHING_SEEN: Seen = { swapId: null, deposit: null, startedMs: null, hasFailed: false };

/** How long until Chainflip's backend has indexed a broker's channel: its blocks take 6 s. */
const INDEXED_WITHIN_MS = 60_000;

/** Combines an order, its price and its channel into the quote that is stored. */
export function toStoredChannel(
  kept: StoredQuote,
  order: Order,
  price: Price,
  opened: Opened,
  closesAt: Date,
): StoredChannel {
  const { from, to, amount, recipient, refundTo } = order;
  const { channelId, depositAddress, isIndexedLater } = opened;
  return {
    ...kept,
    channelId,
    depositAddress,
    from: storedToken(from),
    to: storedToken(to),
    source: namesOf(from),
    destination: namesOf(to),
    amount,
    recipient,
    refundTo,
    minAmountOut: price.minEgress.toString(),
    slot: slotOf(order),
    askedFromMs: isIndexedLater ? kept.createdAt.getTime() + INDEXED_WITHIN_MS : null,
    closesAtMs: closesAt.getTime(),
  };
}
