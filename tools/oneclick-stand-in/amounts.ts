import type { Asset } from './assets.ts';

const USD_DECIMALS = 6;
/** The number of digits after the point of a dollar amount in quotes. */
const USD_DIGITS = 12;
const BPS = 10_000n;

/** `25000000` with 6 decimals is `25.0`. */
export function formatted(raw: bigint, decimals: number): string {
  const digits = raw.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${digits.slice(0, digits.length - decimals)}.${decimals === 0 || fraction === '' ? '0' : fraction}`;
}

/** The value of an amount of a token, with twelve digits after the point. */
export function usd(raw: bigint, { microUsd, decimals }: Asset): string {
  const trillionths = (raw * microUsd * 10n ** BigInt(USD_DIGITS - USD_DECIMALS)) / 10n ** BigInt(decimals);
  const digits = trillionths.toString().padStart(USD_DIGITS + 1, '0');
  return `${digits.slice(0, -USD_DIGITS)}.${digits.slice(-USD_DIGITS)}`;
}

/** The amount of a token that is worth this many millionths of a dollar, rounded down. */
export function rawFor(microUsd: bigint, asset: Asset): bigint {
  return (microUsd * 10n ** BigInt(asset.decimals)) / asset.microUsd;
}

/** Converts an amount of one token to another at their prices, rounded down. */
export function swapped(raw: bigint, from: Asset, to: Asset): bigint {
  return (raw * from.microUsd * 10n ** BigInt(to.decimals)) / (to.microUsd * 10n ** BigInt(from.decimals));
}

/** Rounded up. */
export function plusBps(raw: bigint, bps: bigint): bigint {
  return (raw * (BPS + bps) + BPS - 1n) / BPS;
}

/** Rounded down. */
export function lessBps(raw: bigint, bps: bigint): bigint {
  return (raw * (BPS - bps)) / BPS;
}
