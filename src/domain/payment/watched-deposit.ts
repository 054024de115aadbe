import type { OtherToken, WatchedDeposit } from '../proof/output.ts';
import { isSameToken, tokenKey } from '../proof/deposits.ts';
import { toUnits } from './amount.ts';
import type { ListedToken } from './listed-token.ts';
import { tokenOf } from './promised-output.ts';
import { readRoute } from './route.ts';
import { readTerms } from './terms.ts';

/** The stored facts of an unpaid payment. */
export interface UnpaidTexts {
  readonly quoteText: string | null;
  readonly reportText: string | null;
  readonly createdAt: Date;
  readonly txHashes: readonly string[];
}

/** RPCs bound the number of addresses in a filter. */
const MOST_OTHERS = 100;
/** A ten-thousandth of a whole token: a share of the requested amount means nothing for tokens of other worth. */
const LEAST_DIGITS = 4;

/** Where a payer's deposit would arrive; null: neither the quote nor the report states it, or the address needs a memo. */
export function watchedDeposit(texts: UnpaidTexts): WatchedDeposit | null {
  const { origin, depositAddress, depositMemo } = readRoute(texts);
  const chainId = Number(origin.chainId ?? Number.NaN);
  const isKnown = Number.isSafeInteger(chainId) && chainId > 0;
  if (!isKnown || origin.token === null || depositAddress === null) return null;
  // An address with a memo serves many payments.
  if (depositMemo !== null) return null;
  const { txHashes, createdAt: since, quoteText } = texts;
  const { amount, decimals } = readTerms(quoteText).send;
  const asked = amount === null || decimals === null ? null : toUnits(amount, decimals);
  return { chainId, token: tokenOf(origin.token), depositAddress, asked, others: [], txHashes, since };
}

/**
 * Tokens of a provider's list that a payer may send by mistake. Others are left out: any person can create a worthless token.
 */
export function otherTokens(
  listed: readonly ListedToken[],
  { chainId, token }: WatchedDeposit,
): OtherToken[] {
  const others = new Map<string, OtherToken>();
  for (const { chainId: on, address, decimals } of listed) {
    const other = tokenOf(address);
    if (on !== chainId || decimals === null || isSameToken(other, token)) continue;
    const least = 10n ** BigInt(Math.max(decimals - LEAST_DIGITS, 0));
    others.set(tokenKey(other), { token: other, least });
  }
  return [...others.values()].slice(0, MOST_OTHERS);
}
