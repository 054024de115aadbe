import { addressKey } from './normalize-address.ts';
import { fromRaw } from './quote/raw-amount.ts';
import type { RelayQuote, RouteToken } from './quote/relay-quote.ts';
import type { RelayAmount } from './status/relay-request.ts';
import { isNativeAddress, ZERO_ADDRESS } from './vm-addresses.ts';

/** How what was paid compares with what was asked for; null when it was another token, or is not told. */
export type Match = 'exact' | 'underpaid' | 'overpaid' | null;

/** An amount as reports have it: null is what is not known. */
export interface AmountReport {
  readonly amount: string | null;
  readonly amountRaw: string | null;
  /** The token's address as the spec has it: the zero address for a native token. */
  readonly token: string | null;
}

export function matchOf(quote: RelayQuote, deposited: RelayAmount | null): Match {
  if (deposited === null || deposited.raw === null || !isOfToken(deposited, quote.from)) return null;
  const [paid, asked] = [BigInt(deposited.raw), BigInt(quote.amount)];
  if (paid === asked) return 'exact';
  return paid < asked ? 'underpaid' : 'overpaid';
}

/** Told with the decimals of the quoted token where it is that one: they were checked when it was quoted. */
export function amountReport(amount: RelayAmount | null, quoted: RouteToken): AmountReport {
  if (amount === null) return { amount: null, amountRaw: null, token: null };
  const isQuoted = isOfToken(amount, quoted);
  const decimals = isQuoted ? quoted.decimals : amount.decimals;
  return {
    amount: amount.raw === null || decimals === null ? null : fromRaw(amount.raw, decimals),
    amountRaw: amount.raw,
    token: isQuoted ? quoted.address : isNative(amount) ? ZERO_ADDRESS : amount.address,
  };
}

function isOfToken(amount: RelayAmount, token: RouteToken): boolean {
  if (amount.chainId !== null && amount.chainId !== token.chainId) return false;
  if (token.address === ZERO_ADDRESS) return isNative(amount) || isCalledAs(amount, token);
  return amount.address !== null && addressKey(amount.address) === addressKey(token.address);
}

/** Relay writes native tokens in other ways on other machines, but has one symbol for each. */
function isCalledAs({ symbol, decimals, chainId }: RelayAmount, token: RouteToken): boolean {
  return chainId === token.chainId && symbol === token.symbol && decimals === token.decimals;
}

function isNative({ address, isNative }: RelayAmount): boolean {
  return isNative || (address !== null && isNativeAddress(address));
}
