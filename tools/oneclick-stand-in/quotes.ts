import { randomUUID } from 'node:crypto';

import { formatted, lessBps, plusBps, rawFor, swapped, usd } from './amounts.ts';
import { type Asset, chainOf } from './assets.ts';
import { type Lie, lieAbout } from './lies.ts';
import { newAddress, newLife, type Order, type Terms } from './order.ts';
import type { ReadRequest } from './quote-request.ts';
import type { QuoteSigner } from './signature.ts';

export interface QuoteContext {
  readonly signer: QuoteSigner;
  readonly now: number;
  readonly hasKey: boolean;
  readonly lie: Lie | null;
  /** Null: a fresh one. */
  readonly address: string | null;
}

export interface Quoted {
  readonly body: object;
  /** Null for a dry quote. */
  readonly order: Order | null;
}

/** The API's fee for a request without a key, in basis points. */
const KEYLESS_BPS = 20;
/** How much worse than the price a swap is, in basis points. */
const SPREAD_BPS = 5n;
const FOREIGN_RECIPIENT = '5880ad2b362620fadf759cbceb1cd5737ce8c6ed7fb8e9942881e6731f9247dd';
/** The cost of a withdrawal and of a refund, in millionths of a dollar. */
const WITHDRAW_MICRO_USD = 1_900n;
const REFUND_MICRO_USD = 3_200n;
const LEAST_MICRO_USD = 8_300n;
const MICRO_USD = 1_000_000n;
const INACTIVE_AFTER_MS = 3 * 86_400_000;

/** The answer to a quote, or the message of its refusal. */
export function quoted(read: ReadRequest, context: QuoteContext): Quoted | string {
  const { request, origin, destination } = read;
  const appFees = echoedFees(read, context);
  const feeBps = BigInt(appFees.reduce((sum, { fee }) => sum + fee, 0)) + SPREAD_BPS;
  const terms = termsOf(read, feeBps);
  const refusal = tooLow(read, terms);
  if (refusal !== null) return refusal;
  const deadline = Date.parse(request.deadline);
  const place = request.dry ? null : placeOf(origin, context.address);
  const given = {
    ...amountsOf(terms, origin, destination),
    timeEstimate: chainOf(origin).timeEstimate,
    refundFee: terms.refundFee.toString(),
    withdrawFee: terms.withdrawFee.toString(),
    ...(place === null ? {} : addressOf(place, deadline + INACTIVE_AFTER_MS)),
  };
  const echo = {
    depositMode: 'SIMPLE',
    confidentiality: 'public',
    quoteWaitingTimeMs: 0,
    insured: false,
    ...request,
    deadline: new Date(deadline).toISOString(),
    appFees: appFees.map((fee) => (request.dry ? fee : { ...fee, limitOrderId: null })),
  };
  const timestamp = new Date(context.now).toISOString();
  const honest = { quote: given, quoteRequest: echo, timestamp };
  const told = lieAbout(context.lie, honest, (quote, asked) => context.signer.sign(asked, quote, timestamp));
  const body = { ...told, correlationId: randomUUID() };
  if (place === null) return { body, order: null };
  const { address = place.address, memo = place.memo } = toldPlace(told.quote);
  return {
    body,
    order: {
      request,
      origin,
      destination,
      terms,
      address,
      memo,
      createdAt: context.now,
      deadline,
      inactiveAt: deadline + INACTIVE_AFTER_MS,
      answer: { quoteRequest: told.quoteRequest, quote: told.quote },
      signature: told.signature,
      life: newLife(context.now),
    },
  };
}

function placeOf(origin: Asset, reused: string | null): ReturnType<typeof newAddress> {
  return reused === null ? newAddress(origin) : { address: reused, memo: null };
}

/** An adapter that got a false address asks about that address. */
function toldPlace(quote: Readonly<Record<string, unknown>>): { address?: string; memo?: string } {
  const { depositAddress, depositMemo } = quote;
  return {
    ...(typeof depositAddress === 'string' ? { address: depositAddress } : {}),
    ...(typeof depositMemo === 'string' ? { memo: depositMemo } : {}),
  };
}

/** The API takes half of a partner's fee; without a key it adds a fee of its own. */
function echoedFees(
  { request }: ReadRequest,
  { hasKey }: QuoteContext,
): { recipient: string; fee: number }[] {
  const ours = (request.appFees ?? []).map(({ recipient, fee }) => ({ recipient, fee: Math.floor(fee / 2) }));
  return hasKey ? ours : [...ours, { recipient: FOREIGN_RECIPIENT, fee: KEYLESS_BPS }];
}

function termsOf({ request, origin, destination }: ReadRequest, feeBps: bigint): Terms {
  const slippage = BigInt(request.slippageTolerance);
  const withdrawFee = rawFor(WITHDRAW_MICRO_USD, destination);
  const refundFee = rawFor(REFUND_MICRO_USD, origin);
  const asked = BigInt(request.amount);
  if (request.swapType === 'EXACT_OUTPUT') {
    const minAmountIn = plusBps(swapped(asked + withdrawFee, destination, origin), feeBps) + 1n;
    const amountIn = plusBps(minAmountIn, slippage);
    return { amountIn, minAmountIn, amountOut: asked, minAmountOut: asked, refundFee, withdrawFee };
  }
  const amountOut = lessBps(swapped(asked, origin, destination), feeBps) - withdrawFee;
  const minAmountIn = request.swapType === 'FLEX_INPUT' ? lessBps(asked, slippage) : asked;
  return {
    amountIn: asked,
    minAmountIn,
    amountOut,
    minAmountOut: lessBps(amountOut, slippage),
    refundFee,
    withdrawFee,
  };
}

/** Null: enough. */
function tooLow({ request, origin, destination }: ReadRequest, terms: Terms): string | null {
  const counted = request.swapType === 'EXACT_OUTPUT' ? destination : origin;
  const least = rawFor(LEAST_MICRO_USD, counted);
  const amount = BigInt(request.amount);
  if (amount < least || terms.amountOut <= 0n) return `Amount is too low for bridge, try at least ${least}`;
  const floor = chainOf(origin).leastUsd ?? 0n;
  const worth = (amount * counted.microUsd) / 10n ** BigInt(counted.decimals);
  return worth < floor * MICRO_USD
    ? `Temporary swap limits: minimum swap amount is $${floor.toLocaleString('en-US')}`
    : null;
}

function amountsOf(terms: Terms, origin: Asset, destination: Asset): Record<string, string> {
  const { amountIn, minAmountIn, amountOut, minAmountOut } = terms;
  return {
    amountIn: amountIn.toString(),
    amountInFormatted: formatted(amountIn, origin.decimals),
    amountInUsd: usd(amountIn, origin),
    minAmountIn: minAmountIn.toString(),
    amountOut: amountOut.toString(),
    amountOutFormatted: formatted(amountOut, destination.decimals),
    amountOutUsd: usd(amountOut, destination),
    minAmountOut: minAmountOut.toString(),
  };
}

function addressOf(
  place: { address: string; memo: string | null },
  inactiveAt: number,
): Record<string, string> {
  const at = new Date(inactiveAt).toISOString();
  const memo: Record<string, string> = place.memo === null ? {} : { depositMemo: place.memo };
  return { deadline: at, timeWhenInactive: at, depositAddress: place.address, ...memo };
}
