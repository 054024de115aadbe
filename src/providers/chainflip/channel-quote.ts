import { storedToken, type StoredToken } from '../shared/listed-assets.ts';
import type { StoredQuote } from '../shared/quote-store.ts';
import { type Names, namesOf } from './assets.ts';
import type { Opened } from './open-channel.ts';
import { type Order, slotOf } from './order.ts';
import type { Price } from './price.ts';

/** The part of a quote from which its status is read later. Amounts are digits in the smallest unit. */
export interface ChannelQuote {
  readonly depositAddress: string;
  readonly channelId: string;
  readonly from: StoredToken;
  readonly to: StoredToken;
  /** Chainflip's words for both tokens. */
  readonly source: Names;
  readonly destination: Names;
  readonly amount: string;
  readonly recipient: string;
  readonly refundTo: string;
  /** The least amount that arrives, at the fees of the quote. */
  readonly minAmountOut: string;
  /** The limit that it counts against, as `slotOf` names it. */
  readonly slot: string;
  /** Until then Chainflip's backend may not know the channel; null: it does from the start. */
  readonly askedFromMs: number | null;
  readonly closesAtMs: number;
  readonly seen?: Seen;
}

/** The parts of a channel that were seen before, since its own answers may fall back. */
export interface Seen {
  /** The swap that the payment is about: by its channel, only the newest one shows. */
  readonly swapId: string | null;
  /** A deposit that was seen before it was confirmed. */
  readonly deposit: { readonly amount: string | null; readonly txHash: string | null } | null;
  /** When an answer first said that the swap had started, in milliseconds since 1970; null: not yet. */
  readonly startedMs: number | null;
  /** It has failed, and a later deposit to the channel may still be delivered. */
  readonly hasFailed: boolean;
}

export type StoredChannel = StoredQuote & ChannelQuote;

export const NOTHING_SEEN: Seen = { swapId: null, deposit: null, startedMs: null, hasFailed: false };

/** Within this a broker's channel is in the index of Chainflip's backend: its blocks take 6 s. */
const INDEXED_WITHIN_MS = 60_000;

/** Combines an order, its price and its channel to the quote that is stored. */
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
