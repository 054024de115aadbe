import { fromUnits, isAmount, toUnits, withDecimals } from '../../domain/payment/amount.ts';
import { isDecimals } from '../../domain/payment/said-decimals.ts';
import { refused } from './order-checks.ts';

/** A 256-bit integer has 78 digits. */
const RAW = /^-?\d{1,80}$/;

/** Converts human-readable units to digits in the smallest unit. Throws ProviderRefused for the field `amount`. */
export function toRaw(amount: string, token: { readonly symbol: string; readonly decimals: number }): string {
  if (!isAmount(amount))
    throw refused('The amount must be a positive decimal such as "25" or "0.01".', 'amount');
  if (withDecimals(amount, token.decimals) === null) {
    const most = `${token.symbol} has at most ${token.decimals} fraction digits`;
    throw refused(`The amount has too many fraction digits: ${most}.`, 'amount');
  }
  return toUnits(amount, token.decimals).toString();
}

/** Converts digits in the smallest unit to human-readable units without trailing zeros: `25`, never `25.0`. */
export function fromRaw(raw: bigint | string, decimals: number): string {
  const units = BigInt(raw);
  return units < 0n ? `-${fromUnits(-units, decimals)}` : fromUnits(units, decimals);
}

/** An amount in the smallest unit, given as digits or as a safe integer; null for any other value. */
export function readRaw(value: unknown): bigint | null {
  if (typeof value === 'string') return RAW.test(value) ? BigInt(value) : null;
  return Number.isSafeInteger(value) ? BigInt(value as number) : null;
}

/** An amount above 0 as text of digits; null for a JSON number, which may have lost digits. */
export function readPositive(value: unknown): bigint | null {
  const raw = typeof value === 'string' ? readRaw(value) : null;
  return raw !== null && raw > 0n ? raw : null;
}

/** A token's number of fraction digits, 0 to 255; null for any other value. */
export function readDecimals(value: unknown): number | null {
  return isDecimals(value) ? value : null;
}
