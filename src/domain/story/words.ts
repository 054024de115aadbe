const DECIMAL = /^(-?)(\d+)(\.\d+)?$/;
const THOUSANDS = /\B(?=(\d{3})+$)/g;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Groups the whole digits of a decimal string by thousands. No digit is dropped or added; other text stays as it is. */
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

/** `1 payment`, `7 payments`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A length of time in at most two units: `12 s`, `4 min`, `2 h 10 min`, `3 days`. */
export function duration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < MINUTE) return `${Math.round(length / SECOND)} s`;
  if (length < 10 * MINUTE) return twoUnits(length, MINUTE, 'min', SECOND, 's');
  if (length < HOUR) return `${Math.round(length / MINUTE)} min`;
  if (length < DAY) return twoUnits(length, HOUR, 'h', MINUTE, 'min');
  if (length < 2 * DAY) return twoUnits(length, DAY, 'day', HOUR, 'h');
  return `${Math.round(length / DAY)} days`;
}

/** The time until an instant, such as `in 48 s`; `now` for an attempt that is due. */
export function until(instant: string | number, now: number): string {
  const ms = new Date(instant).getTime() - now;
  return ms < SECOND ? 'now' : `in ${duration(ms)}`;
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const wholes = Math.floor(ms / large);
  const rest = Math.floor((ms - wholes * large) / small);
  return rest === 0 ? `${wholes} ${largeName}` : `${wholes} ${largeName} ${rest} ${smallName}`;
}

/** The beginning and the end of a value, which tell addresses and transactions apart. */
export function shortened(value: string, head = 10, tail = 8): string {
  return value.length <= head + tail + 1 ? value : `${value.slice(0, head)}…${value.slice(-tail)}`;
}
