import type { ConsumeMessage } from 'amqplib';

import { reasonOf } from '../broker-error.ts';
import { deliveriesBefore } from './message-copy.ts';
import type { TrackChannel } from './track-channel.ts';
import type { TrackHandling } from './track-handling.ts';

const ONE_AT_A_TIME = 1;
/** The most unacknowledged messages; bounds the memory that large messages take. */
const CONCURRENT = 10;
const ABORTED = AbortSignal.abort();

export interface IntakeOptions {
  readonly queue: string;
  readonly channel: TrackChannel;
  readonly handling: TrackHandling;
  /** Aborted at the shutdown. */
  readonly signal: AbortSignal;
}

/**
 * Processes the messages of a channel, ten at a time. A redelivered message may have ended a process: it is processed while no
 * other message is unacknowledged, so that another crash does not count as a delivery of other messages.
 */
export class TrackIntake {
  private readonly inHand = new Set<Promise<void>>();
  /** The redelivered message that is processed alone, or is about to be. */
  private redelivered: ConsumeMessage | null = null;
  private hasNew = false;
  private isConcurrent = false;
  private yielding = new AbortController();
  private switching: Promise<void> | null = null;

  constructor(private readonly options: IntakeOptions) {}

  /** Starts with one message at a time, because the broker delivers redelivered messages first. */
  begin(): Promise<void> {
    return this.consume(ONE_AT_A_TIME);
  }

  /** Resolves when no message is in process. */
  async idle(): Promise<void> {
    while (this.switching !== null || this.inHand.size > 0)
      await Promise.all([this.switching, ...this.inHand]);
  }

  private consume(prefetch: number): Promise<void> {
    const { channel, queue } = this.options;
    return channel.consume(queue, prefetch, (message) => this.takeMessage(message));
  }

  private takeMessage(message: ConsumeMessage): void {
    const { handling, signal } = this.options;
    if (signal.aborted) return;
    const hand = { ...this.options, message, yieldSignal: this.yielding.signal };
    if (deliveriesBefore(message) === 0) {
      this.hasNew = true;
      this.keep(handling.handle(hand));
    } else if (this.redelivered === null) {
      this.redelivered = message;
    } else {
      // Puts the message back: otherwise a crash that the first redelivered message causes would count as a delivery of this
      // one.
      this.keep(handling.putBack(hand));
    }
    this.switching ??= this.switchMode().finally(() => (this.switching = null));
  }

  private keep(work: Promise<void>): void {
    const kept = this.endingChannel(work).finally(() => this.inHand.delete(kept));
    this.inHand.add(kept);
  }

  private switchMode(): Promise<void> {
    return this.endingChannel(this.switchUntilSettled());
  }

  private async switchUntilSettled(): Promise<void> {
    const { channel, signal } = this.options;
    while (channel.isOpen && !signal.aborted) {
      if (this.redelivered !== null) await this.tryAlone(this.redelivered);
      else if (this.hasNew && !this.isConcurrent) await this.takeConcurrently();
      else return;
    }
  }

  private async takeConcurrently(): Promise<void> {
    const { channel, signal } = this.options;
    this.isConcurrent = true;
    await this.orChannelEnd(channel.cancel());
    // The first message may still be unacknowledged.
    if (!signal.aborted && channel.isOpen) await this.orChannelEnd(this.consume(CONCURRENT - ONE_AT_A_TIME));
  }

  private async tryAlone(message: ConsumeMessage): Promise<void> {
    const { channel, handling, signal } = this.options;
    const wasConcurrent = this.isConcurrent;
    if (wasConcurrent) {
      this.yielding.abort();
      await this.orChannelEnd(channel.cancel());
      while (this.inHand.size > 0) await Promise.all(this.inHand);
    }
    if (!signal.aborted) await handling.handle({ ...this.options, message, yieldSignal: ABORTED });
    this.redelivered = null;
    if (!wasConcurrent || signal.aborted || !channel.isOpen) return;
    this.yielding = new AbortController();
    this.hasNew = false;
    this.isConcurrent = false;
    await this.orChannelEnd(this.begin());
  }

  /** Waits for the request or the end of the channel: a broker that is gone never answers. */
  private async orChannelEnd(asked: Promise<void>): Promise<void> {
    await Promise.race([asked, this.options.channel.ended]);
  }

  /** Ends the channel on an error: all unacknowledged messages are delivered again on the next one. */
  private endingChannel(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => this.options.channel.end(reasonOf(error)));
  }
}
