/** Amounts are decimal strings from end to end; arithmetic is exact, on integers of the smallest unit. */

const AMOUNT = /^(0|[1-9]\d{0,59})(?:\.(\d{1,60}))?$/;

/** True for a plain positive decimal such as `25` or `0.01`: no sign, no exponent, no separator. */
export function isAmount(text: unknown): text is string {
  return typeof text === 'string' && AMOUNT.test(text) && /[1-9]/.test(text);
}

/** The digits after the decimal point; '' without a decimal point. */
export function fractionOf(amount: string): string {
  return AMOUNT.exec(amount)?.[2] ?? '';
}

/** The amount with at most `decimals` fraction digits; further zeros are dropped. Null where other digits would be. */
export function withDecimals(amount: string, decimals: number): string | null {
  const fraction = fractionOf(amount);
  if (fraction.length <= decimals) return amount;
  if (/[1-9]/.test(fraction.slice(decimals))) return null;
  const [whole, kept] = [amount.slice(0, -fraction.length - 1), fraction.slice(0, decimals)];
  return kept === '' ? whole : `${whole}.${kept}`;
}

/** Converts human-readable units to the token's smallest unit. The caller refuses digits beyond `decimals` first. */
export function toUnits(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals));
}

/** Converts the token's smallest unit to human-readable units, without trailing zeros. */
export function fromUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  const fraction = digits.slice(cut).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, cut) : `${digits.slice(0, cut)}.${fraction}`;
}

/** The exact sum, without trailing zeros. */
export function addAmounts(a: string, b: string): string {
  const decimals = Math.max(...[a, b].map((amount) => amount.split('.')[1]?.length ?? 0));
  return fromUnits(toUnits(a, decimals) + toUnits(b, decimals), decimals);
}

/** Negative, zero or positive as `a` is less than, equal to or more than `b`. */
export function compareAmounts(a: string, b: string): number {
  const decimals = Math.max(fractionOf(a).length, fractionOf(b).length);
  const difference = toUnits(a, decimals) - toUnits(b, decimals);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}
