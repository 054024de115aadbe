import type { PromisedOutput } from './output.ts';
import type { ShownCoin, ShownReceipt, ShownTransfer } from './shown.ts';
import type { ContradictionOnChain, OutputCheckName } from './verification.ts';

/** A transfer that fits the promise, but for its block. `logIndex` null: of the native coin. */
export interface Fitting {
  readonly txHash: string;
  readonly logIndex: number | null;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly amount: bigint;
  readonly byBalance?: true;
}

export type Match =
  | { readonly kind: 'fits'; readonly fitting: readonly [Fitting, ...Fitting[]] }
  /** The first check that fails, as far as a transaction shows it. */
  | {
      readonly kind: 'differs';
      readonly failed: Extract<OutputCheckName, 'receipt' | 'token' | 'recipient' | 'amount'>;
      readonly reason: ContradictionOnChain;
      readonly nearest: Fitting | null;
    }
  /** A contract may have paid in a way that the transaction does not show. */
  | { readonly kind: 'unclear' };

/** Compares a token's promised transfer with what a transaction shows. The amounts of two logs are never added. */
export function matchToken(output: PromisedOutput, receipt: ShownReceipt): Match {
  if (!receipt.succeeded) return reverted();
  const token = output.token?.toLowerCase();
  const recipient = output.recipient.toLowerCase();
  const received = receipt.transfers.filter(({ to }) => to === recipient);
  const ofToken = receipt.transfers.filter((transfer) => transfer.token === token);
  const both = received.filter((transfer) => transfer.token === token);
  const fitting = nearestFirst(both.filter(({ amount }) => isEnough(amount, output)));
  const [first, ...others] = fitting;
  if (first !== undefined) return { kind: 'fits', fitting: [first, ...others] };
  if (both.length > 0) return differs('amount', 'amount_short', largest(both));
  if (received.some(({ amount }) => amount > 0n)) return differs('token', 'other_token', largest(received));
  if (ofToken.length > 0) return differs('recipient', 'other_recipient', largest(ofToken));
  return differs('token', 'output_missing', null);
}

/** Compares the promised amount of a native coin with a transaction, and with what its block brought to the recipient. */
export function matchCoin(output: PromisedOutput, receipt: ShownReceipt, coin: ShownCoin): Match {
  if (!receipt.succeeded) return reverted();
  const isToRecipient = coin.to === output.recipient.toLowerCase();
  const { txHash, blockNumber, blockHash } = receipt;
  const of = (amount: bigint): Fitting => ({ txHash, logIndex: null, blockNumber, blockHash, amount });
  if (isToRecipient && isEnough(coin.value, output)) return { kind: 'fits', fitting: [of(coin.value)] };
  if (!coin.isPlain) {
    const gained = coin.gained ?? 0n;
    return isEnough(gained, output)
      ? { kind: 'fits', fitting: [{ ...of(gained), byBalance: true }] }
      : { kind: 'unclear' };
  }
  return isToRecipient
    ? differs('amount', 'amount_short', of(coin.value))
    : differs('recipient', 'other_recipient', of(coin.value));
}

/** Anybody can log a transfer of nothing to any address. */
export function isEnough(amount: bigint, { leastAmount }: PromisedOutput): boolean {
  return amount > 0n && amount >= leastAmount;
}

/** The smallest sufficient amount first: a larger one may be what another payment needs. Of equal ones, the oldest first. */
export function nearestFirst(transfers: readonly ShownTransfer[]): Fitting[] {
  return transfers.map(fittingOf).toSorted((one, other) => {
    if (one.amount !== other.amount) return one.amount < other.amount ? -1 : 1;
    if (one.blockNumber !== other.blockNumber) return one.blockNumber - other.blockNumber;
    return (one.logIndex ?? 0) - (other.logIndex ?? 0);
  });
}

function fittingOf({ txHash, logIndex, blockNumber, blockHash, amount }: ShownTransfer): Fitting {
  return { txHash, logIndex, blockNumber, blockHash, amount };
}

function largest(transfers: readonly ShownTransfer[]): Fitting | null {
  return nearestFirst(transfers).at(-1) ?? null;
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
