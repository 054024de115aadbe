import { readInstant } from '../../domain/payment/reading.ts';
import { fieldsOf, isWholeNumber, readText, readWord, type Fields } from '../shared/fields.ts';
import { readPositive } from '../shared/raw-amount.ts';
import { readStatusWord } from '../shared/spec-status.ts';
import { isSameAddress } from '../shared/vm-addresses.ts';
import type { ChannelQuote } from './channel-quote.ts';

/** The output, a refund, or a fallback to another address because the recipient could not take it. */
export interface Egress {
  readonly amount: bigint | null;
  readonly txRef: string | null;
  /** When the egress was seen on its chain. */
  readonly witnessedAt: Date | null;
  /** The kind of the failure, as Chainflip names it. */
  readonly failure: string | null;
  readonly destination: string | null;
}

/** Chainflip's answer about a channel, or about one swap of a channel. */
export interface Swap {
  /** Chainflip's status. */
  readonly state: string;
  readonly swapId: string | null;
  readonly deposited: bigint | null;
  readonly depositTxRef: string | null;
  /** Why a deposit was not swapped. */
  readonly depositFailure: { readonly name: string; readonly message: string } | null;
  readonly startedAt: Date | null;
  readonly output: Egress | null;
  readonly refund: Egress | null;
  readonly fallback: Egress | null;
  /** Why the swap waits, or was given up. */
  readonly reason: string | null;
  readonly isExpired: boolean;
  /** The time of the newest state chain block that Chainflip's backend has read. */
  readonly updatedAt: Date | null;
  readonly depositAddress: string | null;
  /** False if the answer names another channel, recipient or token: the answer is not about our payment. */
  readonly isOurs: boolean;
}

/** Reads the answer of `GET /v2/swaps/{id}`; null if it has no status. Fields may be missing. Never throws. */
export function readSwap(value: unknown, quote: ChannelQuote): Swap | null {
  const answer = fieldsOf(value);
  const state = readStatusWord(answer['state']);
  if (state === null) return null;
  const { swapId } = answer;
  const [channel, deposit, swap] = [answer['depositChannel'], answer['deposit'], answer['swap']].map(
    fieldsOf,
  );
  const regular = fieldsOf(swap?.['regular']);
  const failure = fieldsOf(fieldsOf(deposit?.['failure'])['reason']);
  const name = readText(failure['name']);
  return {
    state,
    swapId: isWholeNumber(swapId) ? String(swapId) : readText(swapId),
    deposited: readPositive(deposit?.['amount']),
    depositTxRef: readText(deposit?.['txRef']),
    depositFailure: name === null ? null : { name, message: readText(failure['message']) ?? name },
    startedAt: readInstant(regular['scheduledAt']),
    output: readEgress(answer['swapEgress']),
    refund: readEgress(answer['refundEgress']),
    fallback: readEgress(answer['fallbackEgress']),
    reason: readText(regular['abortedReason']) ?? readText(regular['latestSwapRescheduledReason']),
    isExpired: channel?.['isExpired'] === true,
    updatedAt: readInstant(answer['lastStatechainUpdateAt']),
    depositAddress: readText(channel?.['depositAddress']),
    isOurs: isOurs(answer, fieldsOf(channel), quote),
  };
}

function readEgress(value: unknown): Egress | null {
  const egress = fieldsOf(value);
  if (Object.keys(egress).length === 0) return null;
  return {
    amount: readPositive(egress['amount']),
    txRef: readText(egress['txRef']),
    witnessedAt: readInstant(egress['witnessedAt']),
    failure: readWord(fieldsOf(egress['failure'])['mode']),
    destination: readText(egress['destinationAddress']),
  };
}

/** A member that the answer leaves out contradicts nothing. */
function isOurs(
  answer: Fields,
  channel: Fields,
  { channelId, recipient, to, destination }: ChannelQuote,
): boolean {
  const { destAddress, destChain, destAsset } = answer;
  const isRecipient =
    destAddress === undefined ||
    (typeof destAddress === 'string' && isSameAddress(destAddress, recipient, to.vmType));
  const isToken =
    [undefined, destination.chain].includes(destChain as string) &&
    [undefined, destination.asset].includes(destAsset as string);
  const id = readWord(channel['id']) ?? channelId;
  return isRecipient && isToken && id.toLowerCase() === channelId.toLowerCase();
}
