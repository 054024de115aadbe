import type { KeyObject } from 'node:crypto';

import { addressKey } from '../../domain/chains/address-key.ts';
import { fieldsOf, listOf, readWord, type Fields } from '../shared/fields.ts';
import { type Check, failedOf, type Reading } from '../shared/quote-reading.ts';
import { fromRaw, readRaw } from '../shared/raw-amount.ts';
import { readSeconds } from '../shared/spec-quote.ts';
import { isSameAddress, isWalletAddress } from '../shared/vm-addresses.ts';
import { type Asset, isToken } from './assets.ts';
import { needsMemo, type Order } from './order.ts';
import type { QuoteBody } from './quote-body.ts';
import { isSigned } from './quote-signature.ts';

/** 1Click's price after all checks. Amounts are in the smallest unit. */
export interface Price {
  /** The amount that the payer sends. */
  readonly amountIn: bigint;
  /** A deposit below this amount is sent back as a whole. */
  readonly minAmountIn: bigint;
  readonly amountOut: bigint;
  readonly minAmountOut: bigint;
  readonly amountInUsd: string | null;
  readonly amountOutUsd: string | null;
  /** All app fees, ours and 1Click's, in hundredths of a percent of the paid amount. */
  readonly appFeeBps: number;
  readonly estimateSeconds: number | null;
}

/** A price, and where to pay. */
export interface Offer extends Price {
  readonly depositAddress: string;
  /** The memo, which is part of the address on chains that use one. */
  readonly memo: string | null;
}

/** The most that 1Click may take for itself, in hundredths of a percent. */
const MAX_FOREIGN_BPS = 100;
const INTENTS_ACCOUNT = /^[0-9a-f]{64}$/;
const USD = /^\d{1,30}(\.\d{1,30})?$/;
const ALL_BPS = 10_000;
const BPS = BigInt(ALL_BPS);
const SAME_TEXTS = [
  'swapType',
  'amount',
  'depositType',
  'refundType',
  'recipientType',
  'slippageTolerance',
  'dry',
] as const;

/** Reads the answer of `POST /v0/quote`. Checks 1Click's signature with `key`. Never throws. */
export function readOffer(
  value: unknown,
  order: Order,
  body: QuoteBody,
  key: KeyObject | null,
): Reading<Offer> {
  const price = readPrice(value, order, body, key);
  if (price.kind === 'unsafe') return price;
  const quote = fieldsOf(fieldsOf(value)['quote']);
  const [depositAddress, memo] = [readWord(quote['depositAddress']), readWord(quote['depositMemo'])];
  const check = failedOf([
    ['deposit address', depositAddress !== null && isDepositAddress(depositAddress, order.from)],
    ['memo', (memo !== null) === needsMemo(order.from)],
    // After this end the address is dead, and money sent to it may be lost.
    ['end of the address', Date.parse(String(quote['deadline'])) >= Date.parse(body.deadline)],
  ]);
  if (check !== null || depositAddress === null) return { kind: 'unsafe', check: check ?? 'deposit address' };
  return { kind: 'good', value: { ...price.value, depositAddress, memo } };
}

/** Reads the part that a dry answer has too. Never throws. */
export function readPrice(
  value: unknown,
  order: Order,
  body: QuoteBody,
  key: KeyObject | null,
): Reading<Price> {
  const { timestamp, signature, ...answer } = fieldsOf(value);
  const [quote, echo] = [fieldsOf(answer['quote']), fieldsOf(answer['quoteRequest'])];
  const foreignBps = foreignFees(echo, body);
  const price = {
    amountIn: readRaw(quote['amountIn']) ?? 0n,
    minAmountIn: readRaw(quote['minAmountIn']) ?? 0n,
    amountOut: readRaw(quote['amountOut']) ?? 0n,
    minAmountOut: readRaw(quote['minAmountOut']) ?? 0n,
    amountInUsd: readUsd(quote['amountInUsd']),
    amountOutUsd: readUsd(quote['amountOutUsd']),
    appFeeBps: (foreignBps ?? 0) + ownFees(body),
    estimateSeconds: readSeconds(quote['timeEstimate']),
  };
  const check = failedOf([
    ['signature', key === null || isSigned({ quoteRequest: echo, quote, timestamp, signature }, key)],
    ...echoChecks(echo, order, body),
    ['decimals', areFormatted(quote, order)],
    ...amountChecks(price, order, body),
    ['fees', foreignBps !== null && foreignBps <= MAX_FOREIGN_BPS],
  ]);
  return check === null ? { kind: 'good', value: price } : { kind: 'unsafe', check };
}

function echoChecks(echo: Fields, { from, to }: Order, body: QuoteBody): readonly Check[] {
  return [
    ['request', SAME_TEXTS.every((name) => echo[name] === body[name])],
    ['recipient', isSame(echo['recipient'], body.recipient, to)],
    ['refund address', isSame(echo['refundTo'], body.refundTo, from)],
    ['tokens', isToken(echo['originAsset'], from) && isToken(echo['destinationAsset'], to)],
    ['deadline', Date.parse(String(echo['deadline'])) === Date.parse(body.deadline)],
  ];
}

/** With an exact output, the price may move only on the payer's side. */
function amountChecks(price: Price, order: Order, { slippageTolerance }: QuoteBody): readonly Check[] {
  const { amountIn, minAmountIn, amountOut, minAmountOut } = price;
  const [asked, { isExactOutput }] = [BigInt(order.amount), order];
  const [inBps, outBps] = isExactOutput ? [slippageTolerance, 0] : [ALL_BPS, slippageTolerance];
  return [
    ['amount to pay', isExactOutput ? amountIn > 0n : amountIn === asked],
    ['least amount to pay', isEnough(amountIn, minAmountIn, inBps)],
    ['amount to receive', isExactOutput ? amountOut === asked : amountOut > 0n],
    ['least amount to receive', isEnough(amountOut, minAmountOut, outBps)],
  ];
}

/** An account of NEAR Intents has 64 hexadecimal digits: money sent to it on another chain is lost. */
function isDepositAddress(address: string, { chain }: Asset): boolean {
  return (
    isWalletAddress(address, chain.vmType) && (chain.vmType === 'near' || !INTENTS_ACCOUNT.test(address))
  );
}

function isSame(address: unknown, wanted: string, { chain }: Asset): boolean {
  return typeof address === 'string' && isSameAddress(address, wanted, chain.vmType);
}

/** The same digits with other decimals are a different amount. */
function areFormatted(quote: Fields, { from, to }: Order): boolean {
  return (
    isFormatted(quote['amountIn'], quote['amountInFormatted'], from) &&
    isFormatted(quote['amountOut'], quote['amountOutFormatted'], to)
  );
}

function isFormatted(raw: unknown, formatted: unknown, { decimals }: Asset): boolean {
  const units = readRaw(raw);
  if (typeof formatted !== 'string' || units === null) return units !== null && formatted === undefined;
  return fromRaw(units, decimals) === formatted.replace(/\.0*$|(\.\d*?)0+$/, '$1');
}

function isEnough(amount: bigint, least: bigint, slippageBps: number): boolean {
  if (least <= 0n || least > amount) return false;
  // Adds one unit for rounding.
  return (least + 1n) * BPS >= amount * (BPS - BigInt(slippageBps));
}

/**
 * Reads the fee that 1Click takes for itself; null when the list is unreadable, or has more than one fee that is not ours.
 */
function foreignFees(echo: Fields, { appFees = [] }: QuoteBody): number | null {
  const foreign = listOf(echo['appFees'])
    .map(fieldsOf)
    .filter(({ recipient }) => !appFees.some((ours) => ours.recipient === recipient));
  const [fee = { fee: 0 }, ...more] = foreign;
  return more.length === 0 && Number.isInteger(fee['fee']) ? Number(fee['fee']) : null;
}

function ownFees({ appFees = [] }: QuoteBody): number {
  return appFees.reduce((sum, { fee }) => sum + fee, 0);
}

function readUsd(value: unknown): string | null {
  return typeof value === 'string' && USD.test(value) ? value : null;
}

/** A key that is equal for two quotes with the same deposit address and memo. */
export function placeOf(depositAddress: string, memo: string | null): string {
  return memo === null ? addressKey(depositAddress) : `${addressKey(depositAddress)} ${memo}`;
}
