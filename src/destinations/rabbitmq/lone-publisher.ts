import { setTimeout as pause } from 'node:timers/promises';

import type { Deadline } from './deadline.ts';
import type { EventMessage } from './event-message.ts';
import type { Confirm, PublishChannel } from './publish-channel.ts';

/**
 * The messages of about two seconds of refusals, each of which takes `reopenMs`. Further ones would take the dispatcher's
 * places from other events.
 */
const MOST_WAITING = 20;

/**
 * Publishes one message at a time on a channel of its own, opened on demand: a refusal then concerns this message and closes
 * no other channel.
 */
export class LonePublisher {
  /** True while a message is unconfirmed. */
  isBusy = false;
  private channel: PublishChannel | null = null;
  private waiting = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private openedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly open: () => Promise<PublishChannel>,
    /** Closes a channel whose publish at `sinceMs` was not confirmed in time. */
    private readonly leave: (channel: PublishChannel, sinceMs: number) => Promise<void>,
    private readonly reopenMs: number,
  ) {}

  /** False: too many messages wait for their turn. */
  get hasRoom(): boolean {
    return this.waiting < MOST_WAITING;
  }

  /** Waits for its turn; does not publish a message whose deadline has passed by then. Never rejects. */
  publish(message: EventMessage, deadline: Deadline): Promise<Confirm | 'late' | 'aborted'> {
    this.waiting += 1;
    const confirmed = this.turn
      .then(() => (deadline.isPassed ? 'late' : this.publishNow(message, deadline)))
      .finally(() => (this.waiting -= 1));
    this.turn = confirmed;
    return confirmed;
  }

  private async publishNow(message: EventMessage, deadline: Deadline): Promise<Confirm | 'late' | 'aborted'> {
    try {
      const channel = (this.channel ??= await this.reopen());
      if (deadline.isPassed) return 'late';
      this.isBusy = true;
      const confirm = await Promise.race([channel.publish(message), deadline.passed]);
      if (deadline.isPassed) await this.leave(channel, deadline.sinceMs);
      return confirm;
    } catch {
      return 'lost';
    } finally {
      this.isBusy = false;
    }
  }

  private async reopen(): Promise<PublishChannel> {
    await pause(Math.max(0, this.openedAtMs + this.reopenMs - performance.now()));
    this.openedAtMs = performance.now();
    const channel = await this.open();
    void channel.ended.then(() => {
      if (this.channel === channel) this.channel = null;
    });
    return channel;
  }
}
