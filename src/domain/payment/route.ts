import { memberText } from '../text/member-text.ts';
import { addressKey } from '../chains/address-key.ts';
import { fieldsOf, readFields, type Fields } from './reading.ts';

/** One end of a payment's route, read from its quote and its report; null for parts that neither states. */
export interface RouteEnd {
  readonly chainId: string | null;
  readonly chainName: string | null;
  readonly token: string | null;
  readonly symbol: string | null;
  /** A decimal number in the token's units, from the quote. A report's amount has another unit. */
  readonly amount: string | null;
}

export interface Route {
  readonly origin: RouteEnd;
  readonly destination: RouteEnd;
  readonly depositAddress: string | null;
  /** The memo of an address that many payments share: a deposit without it is lost. */
  readonly depositMemo: string | null;
  readonly recipient: string | null;
}

interface Texts {
  readonly quoteText: string | null;
  readonly reportText: string | null;
}

/** Reads the spec's Quote and Payment status objects tolerantly: first the quote, then the report for missing parts. */
export function readRoute({ quoteText, reportText }: Texts): Route {
  const [quote, report] = [readFields(quoteText), readFields(reportText)];
  const [send, receive] = [fieldsOf(quote['send']), fieldsOf(quote['receive'])];
  const route = fieldsOf(report['route']);
  const amount = (end: Fields, name: 'send' | 'receive', member: string): string | null =>
    textOf(end[member]) ?? digitsOf(quoteText, name, member);
  return {
    origin: endOf(send, fieldsOf(route['from']), amount(send, 'send', 'amount')),
    destination: endOf(receive, fieldsOf(route['to']), amount(receive, 'receive', 'estimatedAmount')),
    depositAddress: textOf(send['depositAddress']) ?? textOf(report['depositAddress']),
    depositMemo: textOf(send['depositMemo']) ?? textOf(report['depositMemo']),
    recipient: textOf(quote['recipient']) ?? textOf(route['recipient']),
  };
}

/** False: neither text contains the word in any letter case, so that parsing them is needless. */
export function mayMention({ quoteText, reportText }: Texts, word: string): boolean {
  const wanted = word.toLowerCase();
  const has = (text: string): boolean => text.includes('\\') || text.toLowerCase().includes(wanted);
  return [quoteText, reportText].some((text) => text !== null && has(text));
}

/** `chain` is the id of a chain, or its name in any case. */
export function isOnChain({ origin, destination }: Route, chain: string): boolean {
  const name = chain.toLowerCase();
  return [origin, destination].some(
    ({ chainId, chainName }) => chainId === chain || chainName?.toLowerCase() === name,
  );
}

/** `token` is a token's symbol in any case, or its address. */
export function hasToken({ origin, destination }: Route, token: string): boolean {
  const [symbol, address] = [token.toLowerCase(), addressKey(token)];
  return [origin, destination].some(
    (end) =>
      end.symbol?.toLowerCase() === symbol || (end.token !== null && addressKey(end.token) === address),
  );
}

function endOf(quoted: Fields, reported: Fields, amount: string | null): RouteEnd {
  const [chain, token] = [fieldsOf(quoted['chain']), fieldsOf(quoted['token'])];
  return {
    chainId: idOf(chain['id']) ?? idOf(reported['chainId']),
    chainName: textOf(chain['name']) ?? textOf(reported['chainName']),
    token: textOf(token['address']) ?? textOf(reported['token']),
    symbol: textOf(token['symbol']),
    amount,
  };
}

/** For a provider that sends a number instead of a decimal string, reads the digits from the text. */
function digitsOf(quoteText: string | null, end: string, member: string): string | null {
  const object = quoteText === null ? null : memberText(quoteText, end);
  const text = object === null ? null : memberText(object, member);
  return text !== null && /^-?\d/.test(text) ? text : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function idOf(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : textOf(value);
}
