import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';

import { Backoff } from './backoff.ts';
import type { BrokerAddress } from './broker-address.ts';
import { isOtherwise, reasonOf } from './broker-error.ts';
import { BrokerLink, type LinkListener } from './broker-link.ts';
import { PublishChannel } from './publish-channel.ts';
import type { RabbitmqTiming } from './rabbitmq-timing.ts';

/** After this long without an end, a connection counts as good even if nothing was published on it. */
const STEADY_AFTER_MS = 30_000;

/** Keeps one publishing channel alive: dials, asserts the exchange, and begins again with growing waits whatever ends. */
export class BrokerConnection implements LinkListener {
  private readonly log = new Logger('RabbitMQ');
  private readonly stopping = new AbortController();
  private readonly backoff: Backoff;
  private link: BrokerLink | null = null;
  private channel: PublishChannel | null = null;
  private running: Promise<void> | null = null;
  /** Why nothing can be published; null while it can. */
  private problem: string | null = 'connecting';

  constructor(
    private readonly address: BrokerAddress,
    private readonly exchange: string,
    private readonly timing: RabbitmqTiming,
    private readonly onUsable: (isNew: boolean) => void,
  ) {
    this.backoff = new Backoff(timing.reconnectFromMs, timing.reconnectUpToMs);
  }

  start(): void {
    this.running ??= this.run();
  }

  /** The channel to publish on; null while there is none or the broker blocks it. */
  usable(): PublishChannel | null {
    const isHeldBack = this.stopping.signal.aborted || this.link?.isBlocked === true;
    return isHeldBack ? null : this.channel;
  }

  /** Why nothing can be published now, for an operator; null while it can. */
  whyUnusable(): string | null {
    return this.link?.isBlocked === true ? 'blocked by the broker' : this.problem;
  }

  /** Told when a publish of then is still unconfirmed: a silent channel is replaced, a blocked one is only waited for. */
  noteSilence(channel: PublishChannel, sinceMs: number): void {
    if (this.link === null || this.link.wasBlockedSince(sinceMs)) return;
    channel.end(`no confirm within ${this.timing.confirmMs / 1_000} s`);
  }

  /** Waits for what is in flight, then says goodbye; safe in any state. */
  async close(): Promise<void> {
    this.stopping.abort();
    const { channel, link } = this;
    if (channel !== null) {
      const waiting = new AbortController();
      const limit = pause(this.timing.drainMs, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([channel.idle(), limit]);
      waiting.abort();
    }
    await link?.close(this.timing.goodbyeMs);
    link?.cut();
    await this.running;
  }

  onBlocked(reason: string): void {
    this.log.warn(`RabbitMQ blocks publishing (${reason}); events wait in the database`);
  }

  onUnblocked(): void {
    this.log.log('RabbitMQ takes events again');
    this.onUsable(false);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const waitMs = await this.live();
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** One connection, from dialling to its end; answers how long to wait before the next. */
  private async live(): Promise<number> {
    const { signal } = this.stopping;
    try {
      this.link = await BrokerLink.open(this.address, this, this.timing.setupMs, signal);
      while (this.link.isOpen && !signal.aborted) {
        await this.useChannel(this.link);
        if (this.link.isOpen) await pause(this.backoff.nextMs(), undefined, { signal });
      }
      return this.backoff.nextMs();
    } catch (error) {
      const isOther = isOtherwise(error);
      this.fail(
        isOther
          ? `the exchange "${this.exchange}" exists with other arguments (${reasonOf(error)})`
          : reasonOf(error),
      );
      return isOther ? this.backoff.slowestMs() : this.backoff.nextMs();
    } finally {
      this.link?.cut();
      this.link = null;
    }
  }

  private async useChannel(link: BrokerLink): Promise<void> {
    const { signal } = this.stopping;
    const { setupMs, goodbyeMs } = this.timing;
    const amqp = await link.openChannel(setupMs, signal);
    const channel = new PublishChannel(amqp, this.exchange);
    await link.within(setupMs, signal, amqp.assertExchange(this.exchange, 'topic', { durable: true }));
    const readyAtMs = performance.now();
    this.ready(channel);
    const reason = await channel.ended;
    this.channel = null;
    if (channel.isProven || performance.now() - readyAtMs > STEADY_AFTER_MS) this.backoff.reset();
    this.fail(reason ?? link.reason);
    // What was published on the old channel is handled before anything goes out on the next, or not at all.
    if (link.isOpen) await link.within(goodbyeMs, signal, channel.close()).catch(() => undefined);
  }

  private ready(channel: PublishChannel): void {
    this.channel = channel;
    this.problem = null;
    this.log.log(`Publishing to the RabbitMQ exchange "${this.exchange}"`);
    this.onUsable(true);
  }

  private fail(reason: string): void {
    if (this.stopping.signal.aborted || reason === this.problem) return;
    this.problem = reason;
    this.log.warn(`RabbitMQ is not usable: ${reason}. Events wait in the database; trying again`);
  }
}
