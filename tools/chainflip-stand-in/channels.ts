import { type Channel, newDepositAddress } from './channel.ts';
import type { OpenRequest } from './open-request.ts';
import { bad, type Refusal } from './quotes.ts';
import { type View, viewOfChannel, viewOfSwap } from './state.ts';

/** How long a channel takes deposits, by its estimate. */
const LIFE_MS = 86_400_000;
/** How long a broker's channel is answered with 404. */
const INDEXED_AFTER_MS = 20_000;
const STATE_CHAIN_MS = 6_000;
const FIRST_HEIGHT = 1_000n;

/** All channels that were ever opened. */
export class Channels {
  private readonly all: Channel[] = [];
  private next = 5_000;
  /** The address of the next channel, which another channel has already; null: a new one. */
  reused: string | null = null;

  constructor(
    private readonly perAddress: number,
    private readonly now: () => number,
  ) {}

  /** The newest channel with this deposit address. Throws where there is none. */
  at(address: string): Channel {
    const found = this.all.findLast(
      (channel) => channel.depositAddress.toLowerCase() === address.toLowerCase(),
    );
    if (found === undefined) throw new Error(`The stand-in has no channel at ${address}.`);
    return found;
  }

  get count(): number {
    return this.all.length;
  }

  /** Refuses a recipient and pair with too many open channels, paid or unpaid, whoever opened them. */
  refusalOf({ src, dest, destAddress }: OpenRequest): Refusal | null {
    const open = this.all.filter(
      (channel) =>
        channel.src === src &&
        channel.dest === dest &&
        channel.destAddress.toLowerCase() === destAddress.toLowerCase() &&
        !this.isExpired(channel),
    );
    return open.length >= this.perAddress ? bad('too many channels') : null;
  }

  open(
    { src, dest, destAddress, amount, fillOrKill }: OpenRequest,
    isByBackend: boolean,
    brokerBps = 0,
  ): Channel {
    const openedAt = this.now();
    this.next += 1;
    const issuedBlock = Math.floor(openedAt / STATE_CHAIN_MS) % 10_000_000;
    const channel: Channel = {
      id: `${issuedBlock}-${src.chain.word}-${this.next}`,
      channelId: this.next,
      src,
      dest,
      destAddress,
      expectedAmount: amount,
      fillOrKill,
      depositAddress: this.reused ?? newDepositAddress(src),
      issuedBlock,
      openedAt,
      isByBackend,
      brokerBps,
      estimatedExpiryAt: openedAt + LIFE_MS,
      expiryBlock: this.heightOf(src.chain.blockSeconds, openedAt + LIFE_MS),
      indexedAt: isByBackend ? openedAt : openedAt + INDEXED_AFTER_MS,
      deposits: [],
      pending: null,
      reshape: null,
    };
    this.reused = null;
    this.all.push(channel);
    return channel;
  }

  isExpired({ src, expiryBlock }: Channel): boolean {
    return this.heightOf(src.chain.blockSeconds, this.now()) >= expiryBlock;
  }

  /** Looks up a channel's id, a swap's id or a deposit's transaction; null: unknown, or not indexed yet. */
  find(id: string): View | null {
    for (const channel of this.all) {
      if (this.now() < channel.indexedAt) continue;
      if (channel.id.toLowerCase() === id.toLowerCase()) return viewOfChannel(channel);
      const deposit = channel.deposits.find(({ swap, txRef }) => swap?.id === id || txRef === id);
      if (deposit !== undefined) return viewOfSwap(channel, deposit);
    }
    return null;
  }

  private heightOf(blockSeconds: number, at: number): bigint {
    return FIRST_HEIGHT + BigInt(Math.floor(at / (blockSeconds * 1_000)));
  }
}
