import { fractionOf, toUnits } from '../../domain/payment/amount.ts';
import { fieldsOf, listOf, readWord, type Fields } from '../shared/fields.ts';
import { refused } from '../shared/order-checks.ts';
import { failedOf, type Reading } from '../shared/quote-reading.ts';
import { readRaw } from '../shared/raw-amount.ts';
import { readSeconds } from '../shared/spec-quote.ts';
import { isNamed } from './assets.ts';
import type { Order } from './order.ts';

/** The merchant's terms; 0: use the value that the quote recommends. */
export interface Terms {
  readonly slippageBps: number;
  readonly oracleSlippageBps: number;
  readonly retryMinutes: number;
}

/** Chainflip's price after all checks. Amounts are in the smallest unit. */
export interface Price {
  /** The amount that arrives after all fees. */
  readonly egress: bigint;
  readonly ingressFee: bigint;
  readonly egressFee: bigint;
  /** Both fees, in USDC on Ethereum. */
  readonly networkFee: bigint;
  readonly brokerFee: bigint;
  /** The intermediate amount in USDC; null: one side is USDC on Ethereum. */
  readonly leg: bigint | null;
  /** The lowest price at which the protocol swaps, × 2^128; below it the deposit is refunded. */
  readonly minPriceX128: bigint;
  /** The least amount that arrives, at the quote's fees. */
  readonly minEgress: bigint;
  readonly oracleSlippageBps: number | null;
  /** Number of state chain blocks. */
  readonly retryBlocks: number;
  readonly estimateSeconds: number | null;
  /** The part of the quote that the request to open a channel repeats. */
  readonly echo: Fields;
}

const PRICE = /^\d{1,30}(\.\d{1,60})?$/;
const ALL_BPS = 10_000n;
const BLOCKS_PER_MINUTE = 10;
const X128 = 1n << 128n;
/** The price may differ from the quote's own amounts by at most 1/PRICE_PARTS: wrong decimals differ by more. */
const PRICE_PARTS = 100n;
const MOST_BPS = 1_000;
const MOST_MINUTES = 60;
/** Fields of the quote that the request to open a channel repeats, for Chainflip's statistics. */
const ECHOED = [
  'intermediateAmount',
  'egressAmount',
  'estimatedPrice',
  'recommendedSlippageTolerancePercent',
] as const;

/** Reads the answer of `GET /v2/quote`. Throws ProviderRefused if it contains no offer. */
export function readPrice(value: unknown, order: Order, terms: Terms): Reading<Price> {
  const entries = listOf(value).map(fieldsOf);
  const quote = entries.find(({ type }) => type === 'REGULAR');
  if (!Array.isArray(value)) return { kind: 'unsafe', check: 'quote' };
  if (entries.length === 0) throw refused('There is no route for this now.', null);
  if (quote === undefined) throw refused('The amount is too large for one swap.', 'amount');
  const { fees, egress } = { fees: feesOf(quote, order), egress: readRaw(quote['egressAmount']) ?? 0n };
  const check = fees === null ? 'fees' : failedCheck(quote, order, fees, egress);
  if (fees === null || check !== null) return { kind: 'unsafe', check: check ?? 'fees' };
  const minPriceX128 = priceX128(priceIn(quote), order, BigInt(slippageOf(quote, terms)));
  const minEgress = ((BigInt(order.amount) - fees.ingressFee) * minPriceX128) / X128 - fees.egressFee;
  const price: Price = {
    egress,
    ...fees,
    leg: readRaw(quote['intermediateAmount']),
    minPriceX128,
    minEgress: minEgress > 0n ? minEgress : 0n,
    oracleSlippageBps: oracleSlippageOf(quote, terms),
    retryBlocks: retryMinutesOf(quote, terms) * BLOCKS_PER_MINUTE,
    estimateSeconds: readSeconds(quote['estimatedDurationSeconds']),
    echo: Object.fromEntries(ECHOED.map((name) => [name, quote[name]])),
  };
  return { kind: 'good', value: price };
}

function failedCheck(quote: Fields, order: Order, fees: Fees, egress: bigint): string | null {
  const price = priceIn(quote);
  const swapped = BigInt(order.amount) - fees.ingressFee;
  return failedOf([
    ['tokens', isNamed(quote['srcAsset'], order.from) && isNamed(quote['destAsset'], order.to)],
    ['amount to pay', quote['depositAmount'] === order.amount],
    ['amount to receive', egress > 0n],
    ['message', quote['ccmParams'] === undefined],
    ['fees', swapped > 0n],
    [
      'price',
      PRICE.test(price) && isNear((swapped * priceX128(price, order, 0n)) / X128, egress + fees.egressFee),
    ],
  ]);
}

function priceIn(quote: Fields): string {
  return readWord(quote['estimatedPrice']) ?? '';
}

/** The price in smallest units × 2^128, less a tolerance. */
function priceX128(price: string, { from, to }: Order, tolerance: bigint): bigint {
  const digits = fractionOf(price).length;
  const units = toUnits(price, digits) * (ALL_BPS - tolerance) * X128 * 10n ** BigInt(to.decimals);
  return units / (ALL_BPS * 10n ** BigInt(digits + from.decimals));
}

function isNear(one: bigint, other: bigint): boolean {
  const apart = one > other ? one - other : other - one;
  return apart * PRICE_PARTS <= other;
}

type Fees = Pick<Price, 'ingressFee' | 'egressFee' | 'networkFee' | 'brokerFee'>;

/** Null if a fee is unreadable, in another token, or of an unknown name. */
function feesOf(quote: Fields, { from, to }: Order): Fees | null {
  const fees = { INGRESS: 0n, EGRESS: 0n, NETWORK: 0n, BROKER: 0n };
  for (const fee of listOf(quote['includedFees']).map(fieldsOf)) {
    const [type, amount] = [String(fee['type']), readRaw(fee['amount'])];
    if (!Object.hasOwn(fees, type) || amount === null) return null;
    if ((type === 'INGRESS' && !isNamed(fee, from)) || (type === 'EGRESS' && !isNamed(fee, to))) return null;
    fees[type as keyof typeof fees] += amount;
  }
  return {
    ingressFee: fees.INGRESS,
    egressFee: fees.EGRESS,
    networkFee: fees.NETWORK,
    brokerFee: fees.BROKER,
  };
}

function slippageOf(quote: Fields, { slippageBps }: Terms): number {
  return slippageBps || readPercent(quote['recommendedSlippageTolerancePercent'], 100);
}

function retryMinutesOf(quote: Fields, { retryMinutes }: Terms): number {
  return retryMinutes || readCount(quote['recommendedRetryDurationMinutes'], MOST_MINUTES, 5);
}

/** Null: the protocol's own value applies. */
function oracleSlippageOf(quote: Fields, { oracleSlippageBps }: Terms): number | null {
  const { recommendedLivePriceSlippageTolerancePercent: recommended } = quote;
  if (typeof recommended !== 'number') return null;
  return oracleSlippageBps || readPercent(recommended, 100);
}

/** In hundredths of a percent. */
function readPercent(value: unknown, otherwise: number): number {
  return readCount(typeof value === 'number' ? Math.round(value * 100) : value, MOST_BPS, otherwise);
}

function readCount(value: unknown, most: number, otherwise: number): number {
  return Number.isInteger(value) && Number(value) > 0 ? Math.min(Number(value), most) : otherwise;
}
