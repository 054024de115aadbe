import { isSameDeposit, isSameToken, mostLikelyFirst } from '../proof/deposits.ts';
import type { SeenDeposit, UnseenDeposit, WatchedDeposit } from '../proof/output.ts';
import { addressKey } from '../chains/address-key.ts';
import { fromUnits } from '../payment/amount.ts';
import { tokenOf } from '../payment/promised-output.ts';
import { readRoute } from '../payment/route.ts';
import { isPaid, type Status } from '../payment/status.ts';
import { isTold, isTransactionTold } from './unseen-deposit.ts';

/** A deposit, and when a witness first saw it. */
export interface NotedDeposit extends SeenDeposit {
  readonly notedAt: Date;
}

/** The facts of a payment that decide whose deposit came to an address. */
export interface AddressPayment {
  /** Larger than the ids of all older payments. */
  readonly id: bigint;
  readonly status: Status;
  readonly createdAt: Date;
  readonly quoteText: string | null;
  readonly reportText: string | null;
  readonly contradictions: readonly string[];
  /** False: the time in which Paybell looks for its deposits is over. */
  readonly isWatched: boolean;
}

/** A deposit to report, and the sum of all that the provider has not reported, in the requested token. */
export interface UntoldDeposit extends NotedDeposit {
  readonly wrongToken: boolean;
  readonly sum: bigint;
}

/** Bounds the payment's row. Other tokens cost their sender next to nothing, so they have places of their own. */
const MOST_NOTED = { right: 50, wrong: 10 };

/** A deposit stays noted even if an RPC no longer shows it: the coin may have moved on. */
export function noteDeposits(
  noted: readonly NotedDeposit[],
  found: readonly SeenDeposit[],
  { token }: Pick<WatchedDeposit, 'token'>,
  now: Date,
): NotedDeposit[] {
  const fresh = found.filter((each) => !noted.some((known) => isSameDeposit(known, each)));
  const all = [...noted, ...fresh.map((each) => ({ ...each, notedAt: now }))];
  const [right, wrong] = [true, false].map((isRight) =>
    all.filter((each) => isSameToken(each.token, token) === isRight),
  ) as [NotedDeposit[], NotedDeposit[]];
  return [...right.slice(0, MOST_NOTED.right), ...wrong.slice(0, MOST_NOTED.wrong)];
}

/**
 * The deposits to report, the likeliest first, without those of other payments of the address. The payment's report may name a
 * deposit and still say that no money came: providers repeat a hash that they were told. Other tokens count only until the
 * requested amount has come.
 */
export function untoldDeposits(
  noted: readonly NotedDeposit[],
  watched: WatchedDeposit,
  payment: AddressPayment,
  others: readonly AddressPayment[],
): UntoldDeposit[] {
  const { asked, token } = watched;
  const sharing = others.filter((other) => sharesAddress(other, watched));
  const unreported = noted.filter(
    (deposit) => !sharing.some((other) => isOfOther(deposit, { watched, payment, other })),
  );
  const right = unreported.filter((deposit) => isSameToken(deposit.token, token));
  const sum = right.reduce((total, { amount }) => total + amount, 0n);
  const isWhole = asked === null ? sum > 0n : sum >= asked;
  const wrong = isWhole ? [] : unreported.filter((deposit) => !right.includes(deposit));
  return [...mostLikelyFirst(right, asked), ...mostLikelyFirst(wrong, null)]
    .map((deposit) => ({ ...deposit, sum, wrongToken: !right.includes(deposit) }))
    .filter((deposit) => !isTold(payment.contradictions, { ...deposit, ...placed(deposit) }));
}

/** `decimals`: those of the received token, and of the requested one; null: not known. */
export function unseenDeposit(
  { txHash, token, wrongToken, amount, sum, blockNumber }: UntoldDeposit,
  { chainId }: Pick<WatchedDeposit, 'chainId'>,
  decimals: { readonly came: number | null; readonly asked: number | null },
): UnseenDeposit {
  return {
    chainId,
    txHash,
    token,
    wrongToken,
    amount: inUnits(amount, decimals.came),
    amountRaw: amount.toString(),
    sum: inUnits(sum, decimals.asked),
    sumRaw: sum.toString(),
    block: blockNumber,
  };
}

function inUnits(raw: bigint, decimals: number | null): string | null {
  return decimals === null ? null : fromUnits(raw, decimals);
}

function placed({ txHash, blockNumber }: SeenDeposit): Pick<UnseenDeposit, 'txHash' | 'block'> {
  return { txHash, block: blockNumber };
}

/**
 * The search also finds payments that have the address elsewhere in their texts. A deposit on another chain is a different
 * deposit.
 */
function sharesAddress(other: AddressPayment, { depositAddress, chainId }: WatchedDeposit): boolean {
  const route = readRoute(other);
  return (
    route.depositAddress !== null &&
    addressKey(route.depositAddress) === addressKey(depositAddress) &&
    Number(route.origin.chainId) === chainId
  );
}

/** Providers write hashes with and without `0x`, in one or several members. */
function isReported({ txHash }: SeenDeposit, { reportText }: AddressPayment): boolean {
  if (txHash === null || reportText === null) return false;
  return reportText.toLowerCase().includes(bareOf(txHash));
}

function isNamed({ txHash }: SeenDeposit, { txHashes }: WatchedDeposit): boolean {
  return txHash !== null && txHashes.some((each) => bareOf(each) === bareOf(txHash));
}

function bareOf(txHash: string): string {
  return txHash.toLowerCase().replace(/^0x/, '');
}

interface Sharing {
  readonly watched: WatchedDeposit;
  readonly payment: AddressPayment;
  readonly other: AddressPayment;
}

/**
 * Whether another payment of the address has this deposit, or has reported it. Among several unpaid payments, a deposit
 * belongs to the newest payment that existed by then and asks for its token, unless a payer named it for this payment.
 */
function isOfOther(deposit: SeenDeposit, { watched, payment, other }: Sharing): boolean {
  const { token, at } = deposit;
  if (isReported(deposit, other) || isTransactionTold(other.contradictions, placed(deposit))) return true;
  if (isNamed(deposit, watched) || isPaid(other.status)) return false;
  const [thisWasThere, otherWasThere] = [payment, other].map(({ createdAt }) => createdAt <= at);
  if (thisWasThere === true && otherWasThere === false) return false;
  const asks = readRoute(other).origin.token;
  const otherAsks = asks !== null && isSameToken(tokenOf(asks), token);
  const thisAsks = isSameToken(watched.token, token);
  if (otherAsks !== thisAsks) return otherAsks;
  // A block's clock may be behind: the deposit is told once, of the payment that was there by that clock.
  return thisWasThere === otherWasThere ? other.id > payment.id : other.isWatched;
}
