import { newTxHash } from '../stand-in/addresses.js';
import { leastDeposit } from './assets.ts';
import { type Channel, type Deposit, type Egress, newEgress, newestSwap, type Swap } from './channel.ts';
import { termsOf } from './quotes.ts';

const KEPT = {
  BelowMinimumDeposit: 'The deposited amount was below the minimum required',
  NotEnoughToPayFees: 'The deposited amount was not enough to pay the fees',
} as const;
const REJECTED = {
  name: 'TransactionRejectedByBroker',
  message: 'The deposit was rejected by the broker',
} as const;

/** The moves of a channel, which the test makes; each takes the channel's deposit address. */
export class Lives {
  private swaps = 612_000;

  constructor(
    private readonly find: (address: string) => Channel,
    private readonly now: () => number,
  ) {}

  /** The tracker sees a deposit that no block has confirmed. */
  see(address: string, raw?: bigint): void {
    const channel = this.find(address);
    channel.pending = { amount: raw ?? channel.expectedAmount, confirmations: 0 };
  }

  /** The tracker's cache is empty, or down. */
  forget(address: string): void {
    this.find(address).pending = null;
  }

  /** A deposit is witnessed. It becomes a swap, or is kept if it is too small; `hasTxRef` is false in the old form. */
  deposit(address: string, raw?: bigint, hasTxRef = true): void {
    const channel = this.find(address);
    const amount = raw ?? channel.expectedAmount;
    channel.pending = null;
    const terms = termsOf(channel, amount, BigInt(channel.brokerBps));
    if (amount < leastDeposit(channel.src)) return this.keep(channel, amount, 'BelowMinimumDeposit');
    if (terms.leg === 0n) return this.keep(channel, amount, 'NotEnoughToPayFees');
    this.swaps += 1;
    const swap: Swap = {
      id: String(this.swaps),
      terms,
      scheduledAt: this.now(),
      executedAt: null,
      rescheduledFor: null,
      abortedFor: null,
      output: null,
      refund: null,
      fallback: null,
      isOver: false,
    };
    channel.deposits.push({ ...this.came(channel, amount), swap, ...(hasTxRef ? {} : { txRef: null }) });
  }

  /** The present fees are larger than the deposit. */
  eatUp(address: string): void {
    const channel = this.find(address);
    this.keep(channel, channel.expectedAmount, 'NotEnoughToPayFees');
  }

  /** Screening has rejected the deposit, which shows as ignored until its refund is broadcast. */
  reject(address: string): void {
    const channel = this.find(address);
    const deposit = this.came(channel, channel.expectedAmount);
    channel.pending = null;
    channel.deposits.push({ ...deposit, failure: { mode: 'DEPOSIT_IGNORED', ...REJECTED } });
  }

  refundRejected(address: string): void {
    const channel = this.find(address);
    const deposit = channel.deposits.at(-1);
    if (deposit === undefined) throw new Error('nothing came');
    deposit.failure = { mode: 'DEPOSIT_REJECTED', ...REJECTED };
    deposit.refund = this.sent(
      newEgress(deposit.amount - termsOf(channel, 0n).ingressFee, this.now()),
      channel,
      true,
    );
  }

  /** The swap is done and its output on the way; `raw`: another output than the terms state. */
  swap(address: string, raw?: bigint): void {
    const swap = this.swapOf(address);
    const { output, egressFee } = swap.terms;
    swap.executedAt = this.now();
    swap.output = newEgress(raw ?? output - egressFee, this.now());
  }

  /** The output is below the least amount, and kept. */
  keepOutput(address: string): void {
    const swap = this.swapOf(address);
    swap.executedAt = this.now();
    swap.output = newEgress(1n, this.now(), true);
  }

  /** Ends the swap without an output or a refund. */
  end(address: string): void {
    this.swapOf(address).isOver = true;
  }

  /** The tracker sees the output's transaction. */
  send(address: string): void {
    const channel = this.find(address);
    const { output } = this.swapOf(address);
    if (output === null) throw new Error('there is no output');
    output.txRef = newTxHash(channel.dest.chain.form);
    output.isSeen = true;
  }

  /** The output is on its chain, by another transaction than the tracker saw if it was signed again. */
  witness(address: string, swap: Swap = this.swapOf(address)): void {
    const channel = this.find(address);
    const { output } = swap;
    if (output === null) throw new Error('there is no output');
    this.sent(output, channel, false);
  }

  /** Moves a deposit on like Chainflip does by itself. */
  settle(address: string): void {
    if (newestSwap(this.find(address)) === null) return;
    this.swap(address);
    this.witness(address);
  }

  /** Keeps the price below the lowest acceptable price. */
  miss(address: string, reason = 'MinPriceViolation'): void {
    const swap = this.swapOf(address);
    swap.rescheduledFor = reason;
  }

  /** Sends the unswapped amount back; `raw`: a part of it. */
  refund(address: string, raw?: bigint, isIgnored = false): void {
    const swap = this.swapOf(address);
    const { deposit, ingressFee } = swap.terms;
    swap.abortedFor = swap.output === null ? 'MinPriceViolation' : null;
    swap.executedAt ??= this.now();
    swap.refund = newEgress(raw ?? deposit - 2n * ingressFee, this.now(), isIgnored);
  }

  witnessRefund(address: string): void {
    const { refund } = this.swapOf(address);
    if (refund === null) throw new Error('there is no refund');
    this.sent(refund, this.find(address), true);
  }

  /** No validator gets the output's transaction onto its chain. */
  abort(address: string): void {
    const { output } = this.swapOf(address);
    if (output === null) throw new Error('there is no output');
    output.abortedAt = this.now();
  }

  /** The recipient could not take the output, which goes to the fallback address. */
  fallBack(address: string): void {
    const channel = this.find(address);
    const swap = this.swapOf(address);
    const egress = newEgress(swap.output?.amount ?? 0n, this.now());
    swap.fallback = { ...egress, destinationAddress: channel.fillOrKill.refundAddress };
  }

  /** Broadcasts the fallback, which is then on its way. */
  sendFallback(address: string): void {
    const { fallback } = this.swapOf(address);
    if (fallback === null) throw new Error('there is no fallback');
    this.sent(fallback, this.find(address), false);
  }

  /** Changes each answer about the channel from now on. */
  reshape(address: string, reshape: Channel['reshape']): void {
    this.find(address).reshape = reshape;
  }

  private swapOf(address: string): Swap {
    const swap = newestSwap(this.find(address));
    if (swap === null) throw new Error(`no deposit to ${address} became a swap`);
    return swap;
  }

  private keep(channel: Channel, amount: bigint, name: keyof typeof KEPT): void {
    channel.pending = null;
    const failure = { mode: 'DEPOSIT_IGNORED', name, message: KEPT[name] } as const;
    channel.deposits.push({ ...this.came(channel, amount), failure });
  }

  private came(channel: Channel, amount: bigint): Deposit {
    const txRef = newTxHash(channel.src.chain.form);
    return { amount, at: this.now(), txRef, swap: null, failure: null, refund: null };
  }

  private sent(egress: Egress, { src, dest }: Channel, isRefund: boolean): Egress {
    egress.txRef = newTxHash((isRefund ? src : dest).chain.form);
    egress.witnessedAt = this.now();
    return egress;
  }
}
