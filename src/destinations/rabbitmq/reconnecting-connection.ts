import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';
import type { ConfirmChannel } from 'amqplib';

import { Backoff } from './backoff.ts';
import type { BrokerAddress } from './broker-address.ts';
import { reasonOf } from './broker-error.ts';
import { BrokerLink, type LinkListener } from './broker-link.ts';
import type { RabbitmqTiming } from './rabbitmq-timing.ts';
import { ExistsOtherwise } from './topology.ts';

/** After this long without an end, a connection counts as good even if nothing was done on it. */
const STEADY_AFTER_MS = 30_000;

/** A channel and what is done on it. */
export interface KeptChannel {
  /** Resolves once it is of no more use, with the reason where it lies in the channel. */
  readonly ended: Promise<string | null>;
  /** True once the broker has done anything for it. */
  readonly isProven: boolean;
  /** Closes the channel at the broker. */
  close(): Promise<void>;
}

/** Keeps one channel alive: dials, declares what it needs, and begins again with growing waits whatever ends. */
export abstract class ReconnectingConnection<Channel extends KeptChannel> implements LinkListener {
  protected readonly log = new Logger('RabbitMQ');
  protected link: BrokerLink | null = null;
  protected channel: Channel | null = null;
  private readonly stopping = new AbortController();
  private readonly backoff: Backoff;
  private running: Promise<void> | null = null;
  /** Why the channel can't be used; null while it can. */
  private problem: string | null = 'connecting';

  constructor(
    private readonly address: BrokerAddress,
    protected readonly timing: RabbitmqTiming,
  ) {
    this.backoff = new Backoff(timing.reconnectFromMs, timing.reconnectUpToMs);
  }

  /** What the broker shows of this connection to an operator. */
  protected abstract readonly name: string;
  protected abstract wrap(amqp: ConfirmChannel): Channel;
  protected abstract declare(amqp: ConfirmChannel, channel: Channel): Promise<void>;
  protected abstract onReady(channel: Channel): void;
  protected abstract logProblem(reason: string): void;
  /** Waits for what is in flight; everything it waits for is bounded. */
  protected abstract drain(): Promise<void>;
  abstract onBlocked(reason: string): void;
  abstract onUnblocked(): void;

  /** Aborted once it is to stop. */
  protected get signal(): AbortSignal {
    return this.stopping.signal;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Why it is of no use now, for an operator; null while it works. */
  whyUnusable(): string | null {
    return this.problem;
  }

  /** Waits for what is in flight, then says goodbye; safe in any state. */
  async close(): Promise<void> {
    this.stopping.abort();
    const { link } = this;
    await this.drain();
    await link?.close(this.timing.goodbyeMs);
    link?.cut();
    await this.running;
  }

  /** Resolves when the work is done, in whatever way, and after the limit at the latest. */
  protected async atMost(limitMs: number, work: Promise<unknown>): Promise<void> {
    const waiting = new AbortController();
    const limit = pause(limitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([work.catch(() => undefined), limit]);
    waiting.abort();
  }

  private async run(): Promise<void> {
    const { signal } = this;
    while (!signal.aborted) {
      const waitMs = await this.live();
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** One connection, from dialling to its end; answers how long to wait before the next. */
  private async live(): Promise<number> {
    const { signal } = this;
    try {
      this.link = await BrokerLink.open(this.address, this.name, this, this.timing.setupMs, signal);
      while (this.link.isOpen && !signal.aborted) {
        await this.useChannel(this.link);
        if (this.link.isOpen) await pause(this.backoff.nextMs(), undefined, { signal });
      }
      return this.backoff.nextMs();
    } catch (error) {
      const isOther = error instanceof ExistsOtherwise;
      this.fail(isOther ? error.message : reasonOf(error));
      return isOther ? this.backoff.slowestMs() : this.backoff.nextMs();
    } finally {
      this.link?.cut();
      this.link = null;
    }
  }

  private async useChannel(link: BrokerLink): Promise<void> {
    const { signal } = this;
    const { setupMs, goodbyeMs } = this.timing;
    const amqp = await link.openChannel(setupMs, signal);
    const channel = this.wrap(amqp);
    await link.within(setupMs, signal, this.declare(amqp, channel));
    const readyAtMs = performance.now();
    this.channel = channel;
    this.problem = null;
    this.onReady(channel);
    const reason = await channel.ended;
    this.channel = null;
    if (channel.isProven || performance.now() - readyAtMs > STEADY_AFTER_MS) this.backoff.reset();
    this.fail(reason ?? link.reason);
    // What was done on the old channel is handled before anything is done on the next, or not at all.
    if (link.isOpen) await link.within(goodbyeMs, signal, channel.close()).catch(() => undefined);
  }

  private fail(reason: string): void {
    if (this.signal.aborted || reason === this.problem) return;
    this.problem = reason;
    this.logProblem(reason);
  }
}
