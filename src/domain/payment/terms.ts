import { memberText } from '../text/member-text.ts';
import { isAmount } from './amount.ts';
import { fieldsOf, readFields, type Fields } from './reading.ts';

/** One side of a quote, as far as the quote states it; amounts are decimal strings in units of the token. */
export interface TermsEnd {
  readonly chainId: string | null;
  /** The address of the token. */
  readonly token: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** The requested amount on the send side; the estimate on the receive side. */
  readonly amount: string | null;
  /** The least amount that counts as complete, `minimumAmount`. */
  readonly least: string | null;
}

export interface Terms {
  readonly send: TermsEnd;
  readonly receive: TermsEnd;
}

const MAX_DECIMALS = 60;

/** Reads the spec's Quote object tolerantly. */
export function readTerms(quoteText: string | null): Terms {
  const quote = readFields(quoteText);
  const endOf = (name: 'send' | 'receive', amount: string): TermsEnd => {
    const end = fieldsOf(quote[name]);
    const [chain, token] = [fieldsOf(end['chain']), fieldsOf(end['token'])];
    const { id } = chain;
    return {
      chainId: typeof id === 'number' || typeof id === 'string' ? String(id) : null,
      token: textOf(token['address']),
      symbol: textOf(token['symbol']),
      decimals: decimalsOf(token['decimals']),
      amount: amountOf(quoteText, name, end, amount),
      least: amountOf(quoteText, name, end, 'minimumAmount'),
    };
  };
  return { send: endOf('send', 'amount'), receive: endOf('receive', 'estimatedAmount') };
}

/** For a provider that sends a number instead of a decimal string, reads the digits from the text. */
function amountOf(quoteText: string | null, name: string, end: Fields, member: string): string | null {
  const value = end[member];
  const isNumber = typeof value === 'number' && quoteText !== null;
  const text = isNumber ? memberText(memberText(quoteText, name) ?? '{}', member) : value;
  return isAmount(text) ? text : null;
}

function decimalsOf(value: unknown): number | null {
  const isDecimals =
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_DECIMALS;
  return isDecimals ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
