import type { PromisedOutput } from './output.ts';
import type { ShownCoin, ShownReceipt, ShownTransfer } from './shown.ts';
import type { ContradictionOnChain, OutputCheckName } from './verification.ts';

/** A transfer that fits the promise, before its block is judged. `logIndex` is null for the native coin. */
export interface Fitting {
  readonly txHash: string;
  readonly logIndex: number | null;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly amount: bigint;
  readonly ordinal?: number;
  readonly byBalance?: true;
  readonly income?: bigint;
}

export type Match =
  | { readonly kind: 'fits'; readonly fitting: readonly [Fitting, ...Fitting[]] }
  /** The first failed check, as far as a transaction shows it. */
  | {
      readonly kind: 'differs';
      readonly failed: Extract<OutputCheckName, 'receipt' | 'token' | 'recipient' | 'amount'>;
      readonly reason: ContradictionOnChain;
      readonly nearest: Fitting | null;
    }
  /** A contract may have paid in a way that the transaction does not show. */
  | { readonly kind: 'unclear' };

/**
 * Compares a token's promised transfer with a transaction. Amounts of two logs are never added, and an amount that the
 * recipient pays out in the same transaction has not arrived.
 */
export function matchToken(output: PromisedOutput, receipt: ShownReceipt): Match {
  if (!receipt.succeeded) return reverted();
  const { token, recipient } = output;
  const received = receipt.transfers.filter(({ from, to }) => to === recipient && from !== recipient);
  const ofToken = receipt.transfers.filter((transfer) => transfer.token === token);
  const both = received.filter((transfer) => transfer.token === token);
  const [first, ...others] = fittingOf(output, both, ofToken);
  if (first !== undefined) return { kind: 'fits', fitting: [first, ...others] };
  if (both.length > 0) return differs('amount', 'amount_short', largestNet(both, ofToken, recipient));
  if (received.some(({ amount }) => amount > 0n)) return differs('token', 'other_token', largest(received));
  const elsewhere = ofToken.filter(({ to }) => to !== recipient);
  if (elsewhere.length > 0) return differs('recipient', 'other_recipient', largest(elsewhere));
  if (ofToken.length > 0) return differs('recipient', 'output_missing', null);
  return differs('token', 'output_missing', null);
}

/**
 * The recipient's transfers that fit, the nearest amount first. `all` has the transfers of the token in the same transactions
 * to or from the recipient.
 */
export function fittingOf(
  output: PromisedOutput,
  received: readonly ShownTransfer[],
  all: readonly ShownTransfer[],
): Fitting[] {
  const { recipient } = output;
  return nearestFirst(
    received.filter(
      ({ from, txHash, amount }) =>
        from !== recipient &&
        isEnough(amount, output) &&
        isEnough(netOf(ofTransaction(all, txHash), recipient), output),
    ),
  ).map((each) => {
    const ofSame = ofTransaction(all, each.txHash);
    const before = ofSame.filter(({ to, logIndex }) => to === recipient && logIndex < (each.logIndex ?? 0));
    const placed = { ...each, ordinal: new Set(before.map(({ logIndex }) => logIndex)).size };
    // If the recipient paid nothing out, its transfers are all that payments can take.
    const isNetted = ofSame.some(({ from }) => from === recipient);
    return isNetted ? { ...placed, income: netOf(ofSame, recipient) } : placed;
  });
}

function ofTransaction(transfers: readonly ShownTransfer[], txHash: string): ShownTransfer[] {
  return transfers.filter((each) => each.txHash === txHash);
}

/** The amounts that came to the recipient less those that left it. */
function netOf(transfers: readonly ShownTransfer[], recipient: string): bigint {
  return transfers.reduce(
    (net, { from, to, amount }) =>
      net + (to === recipient ? amount : 0n) - (from === recipient ? amount : 0n),
    0n,
  );
}

/** Compares the promised amount of a native coin with a transaction, and with what its block brought to the recipient. */
export function matchCoin(output: PromisedOutput, receipt: ShownReceipt, coin: ShownCoin): Match {
  if (!receipt.succeeded) return reverted();
  const { recipient } = output;
  const isToRecipient = coin.to === recipient;
  const { txHash, blockNumber, blockHash } = receipt;
  const of = (amount: bigint): Fitting => ({ txHash, logIndex: null, blockNumber, blockHash, amount });
  if (isToRecipient && coin.from === recipient) return differs('recipient', 'output_missing', null);
  if (!coin.isPlain) return matchContract(output, coin, of);
  if (isToRecipient && isEnough(coin.value, output)) return { kind: 'fits', fitting: [of(coin.value)] };
  return isToRecipient
    ? differs('amount', 'amount_short', of(coin.value))
    : differs('recipient', 'other_recipient', of(coin.value));
}

/**
 * A contract may pay more than the transaction's value, or send the received coin on: the balances before and after the block
 * decide.
 */
function matchContract(
  output: PromisedOutput,
  { to, value, gain }: ShownCoin,
  of: (amount: bigint) => Fitting,
): Match {
  const isDirect = to === output.recipient && isEnough(value, output);
  // A balance may have grown by less than the value that was sent directly: a contract that was paid may have sent this value
  // back.
  const isKept = gain === null || (gain.byContracts >= 0n && isEnough(gain.inAll, output));
  if (isDirect && isKept) return { kind: 'fits', fitting: [of(value)] };
  if (isDirect || gain === null || gain.payers === 0) return { kind: 'unclear' };
  const { byContracts: income, payers } = gain;
  // The amount that each transaction paid is not known: the sum must be enough for each.
  if (!isEnough(income, output) || income < output.leastAmount * BigInt(payers)) return { kind: 'unclear' };
  return { kind: 'fits', fitting: [{ ...of(income), byBalance: true, income }] };
}

/** Any person can log a transfer of amount 0 to any address. */
export function isEnough(amount: bigint, { leastAmount }: PromisedOutput): boolean {
  return amount > 0n && amount >= leastAmount;
}

/**
 * Sorts the smallest sufficient amount first: another payment may need the larger one. Equal amounts go by age, the oldest
 * first.
 */
export function nearestFirst(transfers: readonly ShownTransfer[]): Fitting[] {
  return transfers.map(placeOf).toSorted((one, other) => {
    if (one.amount !== other.amount) return one.amount < other.amount ? -1 : 1;
    if (one.blockNumber !== other.blockNumber) return one.blockNumber - other.blockNumber;
    return (one.logIndex ?? 0) - (other.logIndex ?? 0);
  });
}

function placeOf({ txHash, logIndex, blockNumber, blockHash, amount }: ShownTransfer): Fitting {
  return { txHash, logIndex, blockNumber, blockHash, amount };
}

function largest(transfers: readonly ShownTransfer[]): Fitting | null {
  return nearestFirst(transfers).at(-1) ?? null;
}

/** The largest transfer, reduced to the part of it that stayed. */
function largestNet(
  received: readonly ShownTransfer[],
  all: readonly ShownTransfer[],
  recipient: string,
): Fitting | null {
  const nearest = largest(received);
  if (nearest === null) return null;
  const net = netOf(all, recipient);
  const stayed = net > 0n ? net : 0n;
  return stayed < nearest.amount ? { ...nearest, amount: stayed } : nearest;
}

function reverted(): Match {
  return differs('receipt', 'output_reverted', null);
}

function differs(
  failed: Extract<Match, { kind: 'differs' }>['failed'],
  reason: ContradictionOnChain,
  nearest: Fitting | null,
): Match {
  return { kind: 'differs', failed, reason, nearest };
}
