// @ts-check
/** Amounts in Relay's form: digits in the smallest unit, with the decimals beside them. */
import { chainOf } from './chains.js';

/** @typedef {import('./tokens.js').Token} Token */

/** USD are counted in millionths. */
export const USD_DECIMALS = 6;
const PLAIN = /^(-?)(\d+)$/;

/** 25000000 with 6 decimals is "25.0": Relay always writes a digit after the point. */
export function decimal(/** @type {bigint} */ raw, /** @type {number} */ decimals) {
  const [, sign = '', digits = '0'] = PLAIN.exec(raw.toString()) ?? [];
  const padded = digits.padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals);
  const fraction = padded.slice(padded.length - decimals).replace(/0+$/, '');
  return `${sign}${whole}.${fraction === '' ? '0' : fraction}`;
}

/** Millionths of a dollar as "1.250000"; zero as "0". */
export function usdText(/** @type {bigint} */ microUsd) {
  if (microUsd === 0n) return '0';
  const size = microUsd < 0n ? -microUsd : microUsd;
  const digits = size.toString().padStart(USD_DECIMALS + 1, '0');
  return `${microUsd < 0n ? '-' : ''}${digits.slice(0, -USD_DECIMALS)}.${digits.slice(-USD_DECIMALS)}`;
}

/** The value of an amount of a token, in millionths of a dollar, rounded down. */
export function worth(/** @type {bigint} */ raw, /** @type {Token} */ token) {
  return (raw * token.microUsd) / 10n ** BigInt(token.decimals);
}

/** The amount of a token that is worth this many millionths of a dollar, rounded down. */
export function rawFor(/** @type {bigint} */ microUsd, /** @type {Token} */ token) {
  return (microUsd * 10n ** BigInt(token.decimals)) / token.microUsd;
}

/** Converts an amount of one token to another at their prices, rounded down. */
export function swapped(/** @type {bigint} */ raw, /** @type {Token} */ from, /** @type {Token} */ to) {
  return (raw * from.microUsd * 10n ** BigInt(to.decimals)) / (to.microUsd * 10n ** BigInt(from.decimals));
}

/** Relay's amount object. */
export function amountOf(
  /** @type {Token} */ token,
  /** @type {bigint} */ raw,
  /** @type {bigint} */ minimum = raw,
) {
  return {
    currency: currencyOf(token),
    amount: raw.toString(),
    amountFormatted: decimal(raw, token.decimals),
    amountUsd: usdText(worth(raw, token)),
    minimumAmount: minimum.toString(),
  };
}

function currencyOf(/** @type {Token} */ token) {
  const { chainId, address, symbol, name, decimals } = token;
  const isNative = address === chainOf(chainId)?.native;
  return { chainId, address, symbol, name, decimals, metadata: { ...token.metadata, isNative } };
}
