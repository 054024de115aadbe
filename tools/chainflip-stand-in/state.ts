import type { Channel, Deposit, Egress, Swap } from './channel.ts';

/** The part of a channel's history that an answer is about. */
export interface View {
  readonly channel: Channel;
  readonly swap: Swap | null;
  readonly deposit: Deposit | null;
}

/**
 * The view of a channel by its id: its newest swap. A failed deposit counts only if there is no swap, or only an ended swap
 * without deposits.
 */
export function viewOfChannel(channel: Channel): View {
  const deposit = channel.deposits.findLast(({ swap }) => swap !== null);
  if (deposit !== undefined) return { channel, swap: deposit.swap, deposit };
  return {
    channel,
    swap: null,
    deposit: channel.deposits.findLast(({ failure }) => failure !== null) ?? null,
  };
}

export function viewOfSwap(channel: Channel, deposit: Deposit): View {
  return { channel, swap: deposit.swap, deposit };
}

/** The word, computed from the data in the service's own order. */
export function stateOf({ channel, swap, deposit }: View): string {
  if (swap === null && deposit !== null && deposit.failure !== null) return 'FAILED';
  const [output, refund, fallback] = [swap?.output ?? null, swap?.refund ?? null, swap?.fallback ?? null];
  const egress = fallback ?? output ?? refund;
  if (hasFailed(output, refund, egress) || isSent(fallback)) return 'FAILED';
  if (egress !== null && egress.witnessedAt !== null) return 'COMPLETED';
  if (egress === null && swap?.isOver === true) return 'COMPLETED';
  if (egress !== null) {
    if (fallback?.isSeen === true) return 'FAILED';
    return output?.isSeen === true || refund?.isSeen === true ? 'SENT' : 'SENDING';
  }
  if (swap !== null) return 'SWAPPING';
  return channel.pending === null ? 'WAITING' : 'RECEIVING';
}

function hasFailed(output: Egress | null, refund: Egress | null, egress: Egress | null): boolean {
  const isKept = output?.isIgnored === true || refund?.isIgnored === true;
  return isKept || (egress !== null && egress.abortedAt !== null);
}

function isSent(fallback: Egress | null): boolean {
  return fallback !== null && (fallback.witnessedAt !== null || fallback.abortedAt !== null);
}
