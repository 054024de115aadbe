import { addressKey } from '../chains/address-key.ts';
import { isNativeCoin } from '../chains/native-addresses.ts';
import { memberText } from '../text/member-text.ts';
import { compareAmounts, isAmount } from './amount.ts';
import type { QuoteRequest } from './quote.ts';
import { fieldsOf, isRecord, readFields } from './reading.ts';

/** The parts of a quote that repeat its request. */
type Misfit =
  | 'recipient'
  | 'origin chain'
  | 'destination chain'
  | 'origin token'
  | 'destination token'
  | 'amount to send'
  | 'amount to receive';

/** Zeros of another length, as Hyperliquid writes them, and Sui's coin. */
const OTHER_NATIVES = /^0x0*(?:2::sui::sui)?$/i;
const HEXADECIMAL = /^0x[0-9a-f]+$/i;
/** bech32 is written in lower-case or in upper-case letters only. */
const ONE_CASE = /^(?:[^A-Z]+|[^a-z]+)$/;
/** Addresses are longer than this, symbols shorter. */
const MOST_OF_A_SYMBOL = 20;

/**
 * The first part of the spec's Quote object that differs from the request; null: the quote fits. A missing part fits, since
 * the spec lets quotes be shortened. So does another spelling: letter case where it has no meaning, another address of a
 * native token, a chain's id as text, zeros at the end of an amount.
 */
export function misfitOf(request: QuoteRequest, quoteText: string): Misfit | null {
  const quote = readFields(quoteText);
  const [send, receive] = [fieldsOf(quote['send']), fieldsOf(quote['receive'])];
  const isExactOutput = request.amountIs === 'receive';
  const amount = isExactOutput
    ? amountIn(quoteText, 'receive', 'estimatedAmount')
    : amountIn(quoteText, 'send', 'amount');
  const checks: readonly (readonly [Misfit, boolean])[] = [
    ['recipient', isMissing(quote['recipient']) || isSameAddress(quote['recipient'], request.recipient)],
    ['origin chain', isSide(quote['send']) && isSameChain(send['chain'], request.fromChainId)],
    ['destination chain', isSide(quote['receive']) && isSameChain(receive['chain'], request.toChainId)],
    ['origin token', isSameToken(send['token'], request.fromToken)],
    ['destination token', isSameToken(receive['token'], request.toToken)],
    [isExactOutput ? 'amount to receive' : 'amount to send', isSameAmount(amount, request.amount)],
  ];
  return checks.find(([, isFit]) => !isFit)?.[0] ?? null;
}

function isSide(value: unknown): boolean {
  return isMissing(value) || isRecord(value);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isSameAddress(shown: unknown, wanted: string): boolean {
  if (typeof shown !== 'string') return false;
  if (addressKey(shown) === addressKey(wanted)) return true;
  const isCaseless = [HEXADECIMAL, ONE_CASE].some((form) => form.test(shown) && form.test(wanted));
  return isCaseless && shown.toLowerCase() === wanted.toLowerCase();
}

function isSameChain(chain: unknown, wanted: number): boolean {
  const id = isRecord(chain) ? chain['id'] : chain;
  return (
    isMissing(id) || ((typeof id === 'number' || typeof id === 'string') && String(id) === String(wanted))
  );
}

/** A request may name a token by its symbol, and a quote by its symbol or its address. */
function isSameToken(token: unknown, wanted: string): boolean {
  if (typeof token === 'string')
    return isSameToken({ [isSymbol(token) ? 'symbol' : 'address']: token }, wanted);
  if (!isRecord(token)) return isMissing(token);
  const { address, symbol } = token;
  if (isSameAddress(address, wanted) || isSameSymbol(symbol, wanted)) return true;
  if (typeof address === 'string' && isNative(address) && isNative(wanted)) return true;
  return isMissing(isSymbol(wanted) ? symbol : address);
}

function isNative(address: string): boolean {
  return isNativeCoin(address) || OTHER_NATIVES.test(address);
}

function isSymbol(text: string): boolean {
  return text.length < MOST_OF_A_SYMBOL;
}

function isSameSymbol(symbol: unknown, wanted: string): boolean {
  return isSymbol(wanted) && typeof symbol === 'string' && symbol.toLowerCase() === wanted.toLowerCase();
}

/** Null: missing. Reads the digits from the text: parsing a number could drop some. */
function amountIn(quoteText: string, side: 'send' | 'receive', member: string): string | null {
  const text = memberText(memberText(quoteText, side) ?? '{}', member);
  if (text === null || text === 'null') return null;
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

function isSameAmount(shown: string | null, wanted: string): boolean {
  return shown === null || (isAmount(shown) && compareAmounts(shown, wanted) === 0);
}
