import { isRecord } from '../../../domain/payment/reading.ts';
import { fieldsOf, type Fields } from '../../shared/fields.ts';
import { fromRaw, readDecimals, readRaw } from '../../shared/raw-amount.ts';
import type { QuoteFee, SpecQuote } from '../../shared/spec-quote.ts';

export type QuoteFees = SpecQuote['fees'];

/** `relayer` already includes Relay's two other parts. */
const PARTS = ['gas', 'relayer', 'app'] as const;
/** The parts of `expandedPriceImpact`, which will replace Relay's `fees`; a cost is negative there. */
const IMPACTS = ['swap', 'execution', 'relay', 'app', 'sponsored'] as const;
const USD = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/;
/** Sums use as many fraction digits as USD accepts, so that they are exact. */
const USD_DIGITS = 30;
const TOTAL_DIGITS = 4;

/** Reads the fees of a quote. The total is summed exactly and rounded once. Never throws. */
export function readFees(quote: Fields, details: Fields): QuoteFees {
  const fees = fieldsOf(quote['fees']);
  const total = sumOf(PARTS.map((part) => usdUnits(fieldsOf(fees[part])['amountUsd']))) ?? costOf(details);
  const parts = PARTS.map((part) => [part, readFee(fees[part])] as const).filter(([, fee]) => fee !== null);
  const shown: Partial<Record<(typeof PARTS)[number], QuoteFee>> = Object.fromEntries(parts);
  return total === null ? shown : { totalUsd: roundUsd(total), ...shown };
}

/** A plain decimal string, which may be negative; null for any other value. */
export function readUsd(value: unknown): string | null {
  return typeof value === 'string' && USD.test(value) ? value : null;
}

function readFee(value: unknown): QuoteFee | null {
  if (!isRecord(value) || !isRecord(value['currency'])) return null;
  const { symbol, decimals } = value['currency'];
  const raw = readRaw(value['amount']);
  const usd = readUsd(value['amountUsd']);
  const digits = readDecimals(decimals);
  if (raw === null || usd === null || digits === null || typeof symbol !== 'string') return null;
  return { amount: fromRaw(raw, digits), usd, currency: symbol };
}

/** The total cost when `fees` is missing: the price impact that Relay states, or the input's value minus the output's. */
function costOf(details: Fields): bigint | null {
  const impact = fieldsOf(details['expandedPriceImpact']);
  const gain = sumOf(IMPACTS.map((part) => usdUnits(fieldsOf(impact[part])['usd'])));
  if (gain !== null) return -gain;
  const paid = usdUnits(fieldsOf(details['currencyIn'])['amountUsd']);
  const received = usdUnits(fieldsOf(details['currencyOut'])['amountUsd']);
  return paid === null || received === null ? null : paid - received;
}

/** Null when no part is known. */
function sumOf(parts: readonly (bigint | null)[]): bigint | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.reduce((sum, part) => sum + part, 0n);
}

function usdUnits(value: unknown): bigint | null {
  if (typeof value !== 'string') return null;
  const [, sign, whole, fraction = ''] = USD.exec(value) ?? [];
  if (whole === undefined) return null;
  const units = BigInt(whole + fraction.padEnd(USD_DIGITS, '0'));
  return sign === '-' ? -units : units;
}

/** Rounds half away from zero. */
function roundUsd(units: bigint): string {
  const step = 10n ** BigInt(USD_DIGITS - TOTAL_DIGITS);
  const size = units < 0n ? -units : units;
  const rounded = (size + step / 2n) / step;
  return fromRaw(units < 0n ? -rounded : rounded, TOTAL_DIGITS);
}
