import { fromUnits, toUnits } from '../../domain/payment/amount.ts';
import { fromRaw } from '../shared/raw-amount.ts';
import type { Asset } from './assets.ts';
import type { Offer } from './offer.ts';
import type { Order } from './order.ts';

const USD_DIGITS = 12;
const SHOWN_USD_DIGITS = 4;
const BPS = 10_000n;
/** Builds the spec's Quote object; `expiresIn` is in seconds. */
export function toQuote(
  quoteId: string,
  order: Order,
  offer: Offer,
  expiresIn: number,
): Record<string, unknown> {
  const { from, to } = order;
  const amount = fromRaw(offer.amountIn, from.decimals);
  return {
    success: true,
    quoteId,
    expiresIn,
    send: {
      depositAddress: offer.depositAddress,
      ...(offer.memo === null ? {} : { depositMemo: offer.memo }),
      ...sideOf(from),
      amount,
    },
    receive: {
      ...sideOf(to),
      estimatedAmount: fromRaw(offer.amountOut, to.decimals),
      ...(offer.amountOutUsd === null ? {} : { estimatedAmountUsd: offer.amountOutUsd }),
      minimumAmount: fromRaw(offer.minAmountOut, to.decimals),
    },
    recipient: order.recipient,
    fees: feesOf(order, offer),
    ...(offer.estimateSeconds === null ? {} : { estimatedTime: `${offer.estimateSeconds}s` }),
    steps: 1,
    statusUrl: `/api/status/${quoteId}`,
    depositNote: noteOf(`${amount} ${from.symbol}`, from, offer.memo, expiresIn),
  };
}

function sideOf({ chain, address, symbol, decimals }: Asset): Record<string, unknown> {
  return { chain: { id: chain.id, name: chain.name }, token: { address, symbol, name: symbol, decimals } };
}

/** Of what is paid and does not arrive, at the prices of the quote: the spread and the delivery are `relayer`. */
function feesOf(
  { from }: Order,
  { amountIn, amountInUsd, amountOutUsd, appFeeBps }: Offer,
): Record<string, unknown> {
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

/** A memo comes first and in capitals: without it the deposit is somebody else's or nobody's. */
function noteOf(amount: string, { chain }: Asset, memo: string | null, expiresIn: number): string {
  const withMemo =
    memo === null ? [] : [`MEMO REQUIRED: ${memo} IS PART OF THE ADDRESS, A DEPOSIT WITHOUT IT IS LOST.`];
  return [
    ...withMemo,
    `Send exactly ${amount} on ${chain.name} to this address, in one transfer, within ${expiresIn} seconds.`,
    'The address is for this payment only: another token or another chain may be lost, and a smaller amount is refunded.',
    'Pay from your own wallet, not from an exchange: exchanges send late and deduct a fee.',
  ].join(' ');
}
