import { addressKey } from '../chains/address-key.ts';
import type { SeenDeposit, WatchedDeposit } from './output.ts';

/** An amount below 1/DUST_PART of the requested one is dust, which any person can send. */
const DUST_PART = 100n;

/** The least amount of a deposit that is not dust; null: no search is about the token. */
export function leastOf({ token, asked, others }: WatchedDeposit, of: string | null): bigint | null {
  if (isSameToken(of, token)) return asked === null ? 1n : (asked + DUST_PART - 1n) / DUST_PART || 1n;
  return others.find((other) => isSameToken(other.token, of))?.least ?? null;
}

/** Equal for all spellings of a token; empty for the native coin. */
export function tokenKey(token: string | null): string {
  return token === null ? '' : addressKey(token);
}

export function isSameToken(one: string | null, other: string | null): boolean {
  return tokenKey(one) === tokenKey(other);
}

/** Puts the smallest sufficient amount first, then the largest amounts, and of equal amounts the oldest. */
export function mostLikelyFirst<Deposit extends Pick<SeenDeposit, 'amount' | 'blockNumber'>>(
  deposits: readonly Deposit[],
  asked: bigint | null,
): Deposit[] {
  const largestFirst = deposits.toSorted((one, other) =>
    one.amount === other.amount ? one.blockNumber - other.blockNumber : one.amount < other.amount ? 1 : -1,
  );
  const { amount } = largestFirst.findLast((each) => asked !== null && each.amount >= asked) ?? {};
  const nearest = largestFirst.find((each) => each.amount === amount);
  return nearest === undefined ? largestFirst : [nearest, ...largestFirst.filter((each) => each !== nearest)];
}

export function isSameDeposit(one: SeenDeposit, other: SeenDeposit): boolean {
  return (
    one.txHash === other.txHash && one.blockHash === other.blockHash && isSameToken(one.token, other.token)
  );
}

/** The deposits that every RPC shows; each RPC is asked independently. */
export function agreedDeposits(answers: readonly (readonly SeenDeposit[])[]): readonly SeenDeposit[] {
  const [first = [], ...others] = answers;
  return first.filter((deposit) =>
    others.every((shown) =>
      shown.some((each) => isSameDeposit(each, deposit) && each.amount === deposit.amount),
    ),
  );
}
