import { addressKey } from '../../../domain/chains/address-key.ts';
import { fromRaw } from '../../shared/raw-amount.ts';
import type { RouteToken } from '../../shared/spec-status.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayAmount } from './relay-request.ts';
import { isNativeAddress, ZERO_ADDRESS } from '../../shared/vm-addresses.ts';

/** Compares the paid amount with the quoted amount; null when another token was paid, or the amount is unknown. */
export type Match = 'exact' | 'underpaid' | 'overpaid' | null;

/** An amount in a report; unknown parts are null. */
export interface ReportedAmount {
  readonly amount: string | null;
  readonly amountRaw: string | null;
  /** The token's address in the spec's form: the zero address for a native token. */
  readonly token: string | null;
}

export function matchOf(quote: Pick<RelayQuote, 'from' | 'amount'>, deposited: RelayAmount | null): Match {
  if (deposited === null || deposited.raw === null || !isOfToken(deposited, quote.from)) return null;
  const [paid, asked] = [BigInt(deposited.raw), BigInt(quote.amount)];
  if (paid === asked) return 'exact';
  return paid < asked ? 'underpaid' : 'overpaid';
}

/** Converts an amount with the decimals of the quoted token, if it is that token: the quote has checked them. */
export function toReportedAmount(amount: RelayAmount | null, quoted: RouteToken): ReportedAmount {
  if (amount === null) return { amount: null, amountRaw: null, token: null };
  const isQuoted = isOfToken(amount, quoted);
  const decimals = isQuoted ? quoted.decimals : amount.decimals;
  return {
    amount: amount.raw === null || decimals === null ? null : fromRaw(amount.raw, decimals),
    amountRaw: amount.raw,
    token: isQuoted ? quoted.address : isNative(amount) ? ZERO_ADDRESS : amount.address,
  };
}

/** True for an amount of this token on its chain, in any form in which Relay writes its address. */
export function isOfToken(amount: RelayAmount, token: RouteToken): boolean {
  if (amount.chainId !== null && amount.chainId !== token.chainId) return false;
  if (token.address === ZERO_ADDRESS) return isNative(amount) || isCalledAs(amount, token);
  return amount.address !== null && addressKey(amount.address) === addressKey(token.address);
}

/** Relay's addresses of a native token differ between virtual machines; its symbol does not. */
function isCalledAs({ symbol, decimals, chainId }: RelayAmount, token: RouteToken): boolean {
  return chainId === token.chainId && symbol === token.symbol && decimals === token.decimals;
}

function isNative({ address, isNative }: RelayAmount): boolean {
  return isNative || (address !== null && isNativeAddress(address));
}
