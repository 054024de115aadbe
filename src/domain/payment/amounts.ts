import { memberText } from '../text/member-text.ts';
import { addressKey } from '../chains/address-key.ts';
import { compareAmounts, fractionOf, fromUnits, toUnits } from './amount.ts';
import { tokenOf } from './promised-output.ts';
import { fieldsOf, isRecord, readFields, type Fields } from './reading.ts';
import { readTerms, type TermsEnd } from './terms.ts';

/** How the deposit compares with the requested sum; `unknown`: the provider does not state one of them. */
export const MATCHES = ['exact', 'underpaid', 'overpaid', 'unknown'] as const;

export type Match = (typeof MATCHES)[number];

export function isMatch(value: unknown): value is Match {
  return MATCHES.some((match) => match === value);
}

/**
 * The sums of a payment, as decimal strings in units of the token; null for a sum that neither the quote nor the report
 * states.
 */
export interface Amounts {
  readonly send: {
    readonly asked: string | null;
    readonly came: string | null;
    readonly token: string | null;
  };
  readonly receive: {
    readonly promised: string | null;
    readonly arrived: string | null;
    readonly token: string | null;
  };
  readonly match: Match;
}

/** The merchant's rules for sums that differ from the request. */
export interface SumRules {
  /** By how many hundredths of a percent a sum may differ and still be exact. */
  readonly toleranceBps: number;
  /** True: a payment that was delivered although too little was paid, or only in part, is FAILED. */
  readonly failsUnderpaid: boolean;
}

export const USUAL_SUMS: SumRules = { toleranceBps: 100, failsUnderpaid: false };

const ALL_BPS = 10_000n;
const WHOLE = /^\d{1,78}$/;
const ARRIVED = /^\d{1,78}(?:\.\d{1,255})?$/;
/**
 * A whole number larger than this many times the requested sum is in the smallest unit, even if the report does not say so.
 */
const MOST_TIMES = 1_000n;
/** A longer name for a token is its address. */
const MAX_SYMBOL_LENGTH = 20;

/** In these statuses the sums of a payment mean nothing yet. */
const BEFORE_DEPOSIT: ReadonlySet<unknown> = new Set(['AWAITING_DEPOSIT', 'EXPIRED']);

/** The sums, read from objects of the spec's form, as any provider fills them. */
export function amountsOf(quoteText: string | null, reportText: string, match: Match): Amounts {
  const { send, receive } = readTerms(quoteText);
  const report = readFields(reportText);
  const asked = askedBy(send, report);
  return {
    send: { asked, came: cameBy(report, reportText, { ...send, amount: asked }), token: send.token },
    receive: {
      promised: receive.least ?? receive.amount,
      arrived: arrivedBy(report, receive),
      token: receive.token,
    },
    match,
  };
}

/** The sums of a payment, as events and the API show them; null before the deposit. */
export function shownAmounts(
  { quoteText, match }: { readonly quoteText: string | null; readonly match: Match | null },
  reportText: string | null,
): Amounts | null {
  return match === null || reportText === null ? null : amountsOf(quoteText, reportText, match);
}

/** The judgement on a report's sums. */
export interface JudgedSums {
  readonly match: Match;
  /** The deposit is another token than the quote asks for, or on another chain. */
  readonly isOtherToken: boolean;
  /** The recipient got less than the quote promised. */
  readonly isShort: boolean;
}

/** Null before the deposit. */
export function judgeSums(
  quoteText: string | null,
  reportText: string,
  { toleranceBps }: SumRules,
): JudgedSums | null {
  const report = readFields(reportText);
  if (BEFORE_DEPOSIT.has(report['status']) && !isRecord(report['deposit'])) return null;
  const { send, receive } = readTerms(quoteText);
  const asked = { ...send, amount: askedBy(send, report) };
  const arrived = arrivedBy(report, receive);
  return {
    match: matchOf(asked, cameBy(report, reportText, asked), toleranceBps),
    isOtherToken: isOtherDeposit(report, send),
    isShort: arrived !== null && receive.least !== null && compareAmounts(arrived, receive.least) < 0,
  };
}

function askedBy({ amount }: TermsEnd, report: Fields): string | null {
  return amount ?? decimalOf(fieldsOf(report['deposit'])['expectedAmount']);
}

function isOtherDeposit(report: Fields, send: TermsEnd): boolean {
  const { token, chainId } = fieldsOf(report['deposit']);
  const isNumbered = typeof chainId === 'number' || typeof chainId === 'string';
  if (send.chainId !== null && isNumbered && String(chainId) !== send.chainId) return true;
  const named = isRecord(token) ? (token['address'] ?? token['symbol']) : token;
  return typeof named === 'string' && named !== '' && !isOf(send, named);
}

/** True where the quote states too little to decide. */
function isOf({ token, symbol }: TermsEnd, named: string): boolean {
  if (token !== null && keyOf(token) === keyOf(named)) return true;
  const isSymbol = named.length <= MAX_SYMBOL_LENGTH && !named.startsWith('0x');
  if (isSymbol) return symbol === null || symbol.toLowerCase() === named.toLowerCase();
  return token === null;
}

function keyOf(token: string): string {
  return addressKey(tokenOf(token) ?? '');
}

function matchOf({ amount: asked, least }: TermsEnd, came: string | null, toleranceBps: number): Match {
  if (asked === null || came === null) return 'unknown';
  if (isMore(came, asked, toleranceBps)) return 'overpaid';
  const isEnough = least !== null && compareAmounts(came, least) >= 0;
  return isLess(came, asked, toleranceBps) && !isEnough ? 'underpaid' : 'exact';
}

function isMore(amount: string, sum: string, bps: number): boolean {
  const [units, whole] = unitsOf(amount, sum);
  return units * ALL_BPS > whole * (ALL_BPS + BigInt(bps));
}

function isLess(amount: string, sum: string, bps: number): boolean {
  const [units, whole] = unitsOf(amount, sum);
  return units * ALL_BPS < whole * (ALL_BPS - BigInt(bps));
}

function unitsOf(amount: string, sum: string): [bigint, bigint] {
  const decimals = Math.max(fractionOf(amount).length, fractionOf(sum).length);
  return [toUnits(amount, decimals), toUnits(sum, decimals)];
}

/**
 * Prefers the smallest unit, which is exact where the quote states the decimals; a provider may also report it as the amount
 * itself.
 */
function cameBy(report: Fields, reportText: string, terms: TermsEnd): string | null {
  const deposit = fieldsOf(report['deposit']);
  // The sum of a token that the provider does not know means nothing.
  if (deposit['token'] === null || isOtherDeposit(report, terms)) return null;
  const { amount: asked, decimals } = terms;
  const raw = deposit['amountRaw'];
  if (typeof raw === 'string' && WHOLE.test(raw) && decimals !== null)
    return fromUnits(BigInt(raw), decimals);
  const said = decimalOf(deposit['amount']) ?? digitsIn(reportText, 'deposit', 'amount');
  if (said === null || asked === null || said === asked) return said;
  const isRaw = WHOLE.test(said) && said === fieldsOf(report['route'])['amount'];
  if (isRaw) return decimals === null ? asked : fromUnits(BigInt(said), decimals);
  const isAbsurd = WHOLE.test(said) && BigInt(said) > MOST_TIMES * (toUnits(asked, 0) + 1n);
  return isAbsurd ? null : said;
}

/** Null for an output of another token. */
function arrivedBy(report: Fields, receive: TermsEnd): string | null {
  const output = fieldsOf(fieldsOf(report['execution'])['output']);
  const { amount, token } = output;
  if (typeof token === 'string' && !isOf(receive, token)) return null;
  return decimalOf(amount);
}

function decimalOf(value: unknown): string | null {
  return typeof value === 'string' && ARRIVED.test(value) ? value : null;
}

/** The number's digits as the text has them, for a provider that sends numbers instead of strings. */
function digitsIn(text: string, part: string, member: string): string | null {
  const object = memberText(text, part);
  return object === null ? null : decimalOf(memberText(object, member));
}
