import type { ConsumeMessage } from 'amqplib';

import { reasonOf } from '../broker-error.ts';
import { deliveriesBefore } from './moved-message.ts';
import type { TrackChannel } from './track-channel.ts';
import type { TrackHandling } from './track-handling.ts';

const ALONE = 1;
/** What has been delivered and is not acknowledged yet; bounds the memory that large messages take. */
const TOGETHER = 10;
const AT_ONCE = AbortSignal.abort();

export interface IntakeOptions {
  readonly queue: string;
  readonly channel: TrackChannel;
  readonly handling: TrackHandling;
  /** Aborted at a stop. */
  readonly signal: AbortSignal;
}

/**
 * Takes the messages of a channel into hand, up to ten. One that was delivered before, and may have ended a process, is
 * tried with nothing else unacknowledged: if it does so again, it takes no other along.
 */
export class TrackIntake {
  private readonly inHand = new Set<Promise<void>>();
  /** The one that is tried alone, or is about to be. */
  private suspect: ConsumeMessage | null = null;
  private hasNew = false;
  private isTogether = false;
  private hurry = new AbortController();
  private turning: Promise<void> | null = null;

  constructor(private readonly options: IntakeOptions) {}

  /** What was delivered before comes first from its queue, so that it begins with one at a time. */
  begin(): Promise<void> {
    return this.consume(ALONE);
  }

  /** Resolves once nothing is in hand. */
  async idle(): Promise<void> {
    while (this.turning !== null || this.inHand.size > 0) await Promise.all([this.turning, ...this.inHand]);
  }

  private consume(prefetch: number): Promise<void> {
    const { channel, queue } = this.options;
    return channel.consume(queue, prefetch, (message) => this.take(message));
  }

  private take(message: ConsumeMessage): void {
    const { handling, signal } = this.options;
    if (signal.aborted) return;
    const hand = { ...this.options, message, hurry: this.hurry.signal };
    if (deliveriesBefore(message) === 0) {
      this.hasNew = true;
      this.keep(handling.handle(hand));
    } else if (this.suspect === null) {
      this.suspect = message;
    } else {
      // It would be delivered once more if the first one ends the process.
      this.keep(handling.putBack(hand));
    }
    this.turning ??= this.turn().finally(() => (this.turning = null));
  }

  private keep(work: Promise<void>): void {
    const kept = this.endingChannel(work).finally(() => this.inHand.delete(kept));
    this.inHand.add(kept);
  }

  private turn(): Promise<void> {
    return this.endingChannel(this.turnUntilRight());
  }

  private async turnUntilRight(): Promise<void> {
    const { channel, signal } = this.options;
    while (channel.isOpen && !signal.aborted) {
      if (this.suspect !== null) await this.tryAlone(this.suspect);
      else if (this.hasNew && !this.isTogether) await this.takeTogether();
      else return;
    }
  }

  private async takeTogether(): Promise<void> {
    const { channel, signal } = this.options;
    this.isTogether = true;
    await this.orEnded(channel.cancel());
    // The one that came alone may still be in hand.
    if (!signal.aborted && channel.isOpen) await this.orEnded(this.consume(TOGETHER - ALONE));
  }

  private async tryAlone(message: ConsumeMessage): Promise<void> {
    const { channel, handling, signal } = this.options;
    const wasTogether = this.isTogether;
    if (wasTogether) {
      this.hurry.abort();
      await this.orEnded(channel.cancel());
      while (this.inHand.size > 0) await Promise.all(this.inHand);
    }
    if (!signal.aborted) await handling.handle({ ...this.options, message, hurry: AT_ONCE });
    this.suspect = null;
    if (!wasTogether || signal.aborted || !channel.isOpen) return;
    this.hurry = new AbortController();
    this.hasNew = false;
    this.isTogether = false;
    await this.orEnded(this.begin());
  }

  /** A broker that is gone leaves a question unanswered. */
  private async orEnded(asked: Promise<void>): Promise<void> {
    await Promise.race([asked, this.options.channel.ended]);
  }

  /** Unacknowledged, everything in hand comes again on the next channel. */
  private endingChannel(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => this.options.channel.end(reasonOf(error)));
  }
}
