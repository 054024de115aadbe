import { fromUnits, toUnits } from '../../domain/payment/amount.ts';
import { fromRaw } from '../shared/raw-amount.ts';
import { depositNote, sideOf, type SpecQuote } from '../shared/spec-quote.ts';
import type { Offer } from './offer.ts';
import type { Order } from './order.ts';

const USD_DIGITS = 12;
const SHOWN_USD_DIGITS = 4;
const BPS = 10_000n;
const OTHER_AMOUNTS = 'a smaller amount is refunded';

/** Builds the spec's Quote object; `expiresIn` is in seconds. */
export function toQuote(quoteId: string, order: Order, offer: Offer, expiresIn: number): SpecQuote {
  const { from, to } = order;
  const amount = fromRaw(offer.amountIn, from.decimals);
  return {
    success: true,
    quoteId,
    expiresIn,
    send: {
      depositAddress: offer.depositAddress,
      ...(offer.memo === null ? {} : { depositMemo: offer.memo }),
      ...sideOf(from.chain, { ...from, name: from.symbol }),
      amount,
      ...(order.isExactOutput ? { minimumAmount: fromRaw(offer.minAmountIn, from.decimals) } : {}),
    },
    receive: {
      ...sideOf(to.chain, { ...to, name: to.symbol }),
      estimatedAmount: fromRaw(offer.amountOut, to.decimals),
      ...(offer.amountOutUsd === null ? {} : { estimatedAmountUsd: offer.amountOutUsd }),
      minimumAmount: fromRaw(offer.minAmountOut, to.decimals),
    },
    recipient: order.recipient,
    fees: feesOf(order, offer),
    ...(offer.estimateSeconds === null ? {} : { estimatedTime: `${offer.estimateSeconds}s` }),
    steps: 1,
    statusUrl: `/api/status/${quoteId}`,
    depositNote: `${memoNote(offer.memo)}${depositNote(`${amount} ${from.symbol}`, from.chain.name, expiresIn, OTHER_AMOUNTS)}`,
  };
}

/** The fees at the quote's prices: `relayer` is the part of the paid amount that does not arrive, for spread and delivery. */
function feesOf(
  { from }: Order,
  { amountIn, amountInUsd, amountOutUsd, appFeeBps }: Offer,
): SpecQuote['fees'] {
  if (amountInUsd === null || amountOutUsd === null) return {};
  const paid = usdUnits(amountInUsd);
  const difference = paid - usdUnits(amountOutUsd);
  const total = difference > 0n ? difference : 0n;
  const appUsd = least((paid * BigInt(appFeeBps)) / BPS, total);
  const appRaw = (amountIn * BigInt(appFeeBps)) / BPS;
  return {
    totalUsd: shownUsd(total),
    relayer: { amount: shownUsd(total - appUsd), usd: shownUsd(total - appUsd), currency: 'USD' },
    app: { amount: fromRaw(appRaw, from.decimals), usd: shownUsd(appUsd), currency: from.symbol },
  };
}

function usdUnits(text: string): bigint {
  return toUnits(text, USD_DIGITS);
}

function shownUsd(units: bigint): string {
  return fromUnits(units / 10n ** BigInt(USD_DIGITS - SHOWN_USD_DIGITS), SHOWN_USD_DIGITS);
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Puts the memo first and in capitals: without it the deposit is credited to another payer or lost. */
function memoNote(memo: string | null): string {
  return memo === null ? '' : `MEMO REQUIRED: ${memo} IS PART OF THE ADDRESS, A DEPOSIT WITHOUT IT IS LOST. `;
}
