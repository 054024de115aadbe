import type { KeyObject } from 'node:crypto';

import { addressKey } from '../../domain/payment/address-key.ts';
import { fieldsOf, listOf, readWord, type Fields } from '../shared/fields.ts';
import { fromRaw, readRaw } from '../shared/raw-amount.ts';
import { isSameAddress, isWalletAddress } from '../shared/vm-addresses.ts';
import type { Asset } from './assets.ts';
import { needsMemo, type Order } from './order.ts';
import type { QuoteBody } from './quote-body.ts';
import { isSigned } from './quote-signature.ts';

/** 1Click's offer, after all checks. Amounts are in the smallest unit. */
export interface Offer {
  readonly depositAddress: string;
  /** Part of the address where there is one. */
  readonly memo: string | null;
  readonly amountOut: bigint;
  readonly minAmountOut: bigint;
  readonly amountInUsd: string | null;
  readonly amountOutUsd: string | null;
  /** All fees of apps, ours and 1Click's, in hundredths of a percent of what is paid. */
  readonly appFeeBps: number;
  readonly estimateSeconds: number | null;
  /** After it the address is dead, and money sent to it may be lost. */
  readonly inactiveAt: Date;
}

export type ReadOffer =
  | { readonly kind: 'offer'; readonly offer: Offer }
  /** The answer differs from the request or can't be read: its deposit address must not be shown. */
  | { readonly kind: 'unsafe'; readonly check: string };

/** The most that 1Click may take for itself of a swap, in hundredths of a percent. */
const MAX_FOREIGN_BPS = 100;
const INTENTS_ACCOUNT = /^[0-9a-f]{64}$/;
const USD = /^\d{1,30}(\.\d{1,30})?$/;
const BPS = 10_000n;
const SAME_TEXTS = [
  'swapType',
  'amount',
  'depositType',
  'refundType',
  'recipientType',
  'slippageTolerance',
  'dry',
] as const;

/** The unchecked parts of the answer. */
interface Parts {
  readonly quote: Fields;
  readonly echo: Fields;
  readonly depositAddress: string | null;
  readonly memo: string | null;
  readonly amountOut: bigint | null;
  readonly minAmountOut: bigint | null;
  /** What 1Click takes for itself; null: not readable. */
  readonly foreignBps: number | null;
  readonly inactiveAt: Date;
  readonly isSigned: boolean;
}

/** Reads the answer of `POST /v0/quote`. `key`: checks 1Click's signature with it. Never throws. */
export function readOffer(value: unknown, order: Order, body: QuoteBody, key: KeyObject | null): ReadOffer {
  const parts = partsOf(fieldsOf(value), body, key);
  const { depositAddress, amountOut, minAmountOut } = parts;
  const check = failedCheck(parts, order, body);
  if (check !== null || depositAddress === null || amountOut === null || minAmountOut === null)
    return { kind: 'unsafe', check: check ?? 'quote' };
  const offer = {
    depositAddress,
    memo: parts.memo,
    amountOut,
    minAmountOut,
    amountInUsd: readUsd(parts.quote['amountInUsd']),
    amountOutUsd: readUsd(parts.quote['amountOutUsd']),
    appFeeBps: (parts.foreignBps ?? 0) + ownFees(body),
    estimateSeconds: readSeconds(parts.quote['timeEstimate']),
    inactiveAt: parts.inactiveAt,
  };
  return { kind: 'offer', offer };
}

function partsOf(answer: Fields, body: QuoteBody, key: KeyObject | null): Parts {
  const [quote, echo] = [fieldsOf(answer['quote']), fieldsOf(answer['quoteRequest'])];
  const { timestamp, signature } = answer;
  return {
    quote,
    echo,
    depositAddress: readWord(quote['depositAddress']),
    memo: readWord(quote['depositMemo']),
    amountOut: readRaw(quote['amountOut']),
    minAmountOut: readRaw(quote['minAmountOut']),
    foreignBps: foreignFees(echo, body),
    inactiveAt: new Date(String(quote['deadline'])),
    isSigned: key === null || isSigned({ quoteRequest: echo, quote, timestamp, signature }, key),
  };
}

/** The name of the first check that fails; null when all pass. */
function failedCheck(parts: Parts, order: Order, body: QuoteBody): string | null {
  const { quote, echo, depositAddress, memo, amountOut, foreignBps, inactiveAt } = parts;
  const { from, to } = order;
  const checks: readonly (readonly [name: string, isGood: boolean])[] = [
    ['signature', parts.isSigned],
    ['request', SAME_TEXTS.every((name) => echo[name] === body[name])],
    ['recipient', isSame(echo['recipient'], body.recipient, to)],
    ['refund address', isSame(echo['refundTo'], body.refundTo, from)],
    ['tokens', isToken(echo['originAsset'], from) && isToken(echo['destinationAsset'], to)],
    ['deadline', Date.parse(String(echo['deadline'])) === Date.parse(body.deadline)],
    ['deposit address', depositAddress !== null && isDepositAddress(depositAddress, from)],
    ['memo', (memo !== null) === needsMemo(from)],
    ['amount to pay', readRaw(quote['amountIn']) === BigInt(body.amount)],
    ['decimals', areFormatted(quote, order)],
    ['amount to receive', amountOut !== null && amountOut > 0n],
    ['least amount to receive', isEnough(amountOut, parts.minAmountOut, body.slippageTolerance)],
    ['fees', foreignBps !== null && foreignBps <= MAX_FOREIGN_BPS],
    ['end of the address', inactiveAt.getTime() >= Date.parse(body.deadline)],
  ];
  return checks.find(([, isGood]) => !isGood)?.[0] ?? null;
}

/** An account of NEAR Intents has 64 hexadecimal digits: money that is sent to it on another chain is lost. */
function isDepositAddress(address: string, { chain }: Asset): boolean {
  return (
    isWalletAddress(address, chain.vmType) && (chain.vmType === 'near' || !INTENTS_ACCOUNT.test(address))
  );
}

function isSame(address: unknown, wanted: string, { chain }: Asset): boolean {
  return typeof address === 'string' && isSameAddress(address, wanted, chain.vmType);
}

/** 1Click may name a token by another of its ids; the amounts' decimals are checked apart. */
function isToken(id: unknown, asset: Asset): boolean {
  return id === asset.id || id === `1cs_v1:${asset.chain.shortName}:native:coin`;
}

/** With other decimals the same digits would be another amount. */
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

function isEnough(amountOut: bigint | null, least: bigint | null, slippageBps: number): boolean {
  if (amountOut === null || least === null || least <= 0n || least > amountOut) return false;
  // One unit for the rounding.
  return (least + 1n) * BPS >= amountOut * (BPS - BigInt(slippageBps));
}

/** What 1Click takes for itself; null when the list can't be read, or holds more than one fee that is not ours. */
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

function readSeconds(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value < 1e9 ? Math.max(1, Math.ceil(value)) : null;
}

/** The key by which two quotes share a deposit address: a memo is part of it. */
export function placeOf(depositAddress: string, memo: string | null): string {
  return memo === null ? addressKey(depositAddress) : `${addressKey(depositAddress)} ${memo}`;
}
