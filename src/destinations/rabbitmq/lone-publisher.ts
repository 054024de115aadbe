import { setTimeout as pause } from 'node:timers/promises';

import type { Deadline } from './deadline.ts';
import type { EventMessage } from './event-message.ts';
import type { Confirm, PublishChannel } from './publish-channel.ts';
import type { RabbitmqTiming } from './rabbitmq-timing.ts';

/**
 * Publishes one message at a time on a channel of its own, which it opens when it is needed: a refusal is that message's, and
 * closes no other channel.
 */
export class LonePublisher {
  /** True while a message is unconfirmed. */
  isBusy = false;
  private channel: PublishChannel | null = null;
  private turn: Promise<unknown> = Promise.resolve();
  private openedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly open: () => Promise<PublishChannel>,
    private readonly timing: Pick<RabbitmqTiming, 'closeMs' | 'reopenMs'>,
  ) {}

  /** Waits for its turn; a message whose deadline has passed by then is not published. Never rejects. */
  publish(message: EventMessage, deadline: Deadline): Promise<Confirm | 'late' | 'aborted'> {
    const confirmed = this.turn.then(() => (deadline.isPassed ? 'late' : this.publishNow(message, deadline)));
    this.turn = confirmed;
    return confirmed;
  }

  private async publishNow(message: EventMessage, deadline: Deadline): Promise<Confirm | 'late' | 'aborted'> {
    try {
      const channel = (this.channel ??= await this.reopen());
      this.isBusy = true;
      const confirm = await Promise.race([channel.publish(message), deadline.passed]);
      if (deadline.isPassed) await this.leave(channel);
      return confirm;
    } catch {
      return 'lost';
    } finally {
      this.isBusy = false;
    }
  }

  private async reopen(): Promise<PublishChannel> {
    await pause(Math.max(0, this.openedAtMs + this.timing.reopenMs - performance.now()));
    this.openedAtMs = performance.now();
    const channel = await this.open();
    void channel.ended.then(() => {
      if (this.channel === channel) this.channel = null;
    });
    return channel;
  }

  /** Closes the channel: the broker handles none of its messages after those of the next one. */
  private async leave(channel: PublishChannel): Promise<void> {
    const waiting = new AbortController();
    const limit = pause(this.timing.closeMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([channel.close().catch(() => undefined), limit]);
    waiting.abort();
  }
}
