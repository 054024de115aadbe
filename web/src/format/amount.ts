const DECIMAL = /^(-?)(\d+)(\.\d+)?$/;
const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** Groups the integer digits of a decimal string by thousands. Drops and adds no digit; leaves other text as it is. */
export function grouped(amount: string): string {
  const parts = DECIMAL.exec(amount);
  if (parts === null) return amount;
  const [, sign = '', whole = '', fraction = ''] = parts;
  return `${sign}${whole.replace(THOUSANDS, ',')}${fraction}`;
}

/** `1,000.00 USDC`: at least two digits after the point, so that a sum looks the same everywhere. */
export function money(amount: string, symbol: string | null): string {
  const text = grouped(withCents(amount));
  return symbol === null ? text : `${text} ${symbol}`;
}

function withCents(amount: string): string {
  const parts = DECIMAL.exec(amount);
  if (parts === null) return amount;
  const [, sign = '', whole = '', fraction = '.'] = parts;
  return `${sign}${whole}${fraction.padEnd(3, '0')}`;
}

/** A count with thousands grouped. */
export function count(value: number): string {
  return grouped(String(Math.round(value)));
}

interface Counted {
  readonly count: number;
  readonly isMore: boolean;
}

/** `7 payments`; `10,000 or more payments`; null if the count did not finish in time. */
export function total({ count: value, isMore }: Counted, one: string, many?: string): string | null {
  if (!isMore) return counted(value, one, many);
  return value === 0 ? null : `${count(value)} or more ${many ?? `${one}s`}`;
}

/** `1 payment`, `7 payments`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Pending deliveries are counted up to this number. */
const MOST_COUNTED = 10_000;

/** `12`, or `10,000 or more` if counting stopped there. */
export function atLeast(value: number, isMore = value >= MOST_COUNTED): string {
  return isMore ? `${count(value)} or more` : count(value);
}
