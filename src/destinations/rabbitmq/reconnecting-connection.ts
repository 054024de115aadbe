import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';
import type { ConfirmChannel } from 'amqplib';

import { Backoff } from './backoff.ts';
import type { BrokerAddress } from './broker-address.ts';
import { reasonOf } from './broker-error.ts';
import { BrokerLink, type LinkListener } from './broker-link.ts';
import type { RabbitmqTiming } from './rabbitmq-timing.ts';
import { DeclareConflict } from './topology.ts';

/** A channel that was open for this long resets the backoff, even if it was not used. */
const STEADY_AFTER_MS = 30_000;
const CONNECTING = 'connecting';

/** A channel that a ReconnectingConnection opens and replaces. */
export interface ManagedChannel {
  /** Resolves when the channel ends, with the reason if the channel itself is the cause. */
  readonly ended: Promise<string | null>;
  /** True once the channel was used successfully. */
  readonly isProven: boolean;
  /** Closes the channel at the broker. */
  close(): Promise<void>;
}

/** Keeps one channel open: connects, declares exchange and queues, and starts again with growing waits when either ends. */
export abstract class ReconnectingConnection<Channel extends ManagedChannel> implements LinkListener {
  protected readonly log = new Logger('RabbitMQ');
  protected link: BrokerLink | null = null;
  protected channel: Channel | null = null;
  private readonly stopping = new AbortController();
  private readonly backoff: Backoff;
  private running: Promise<void> | null = null;
  /** Counts the connections that ended; each begins with the next address. */
  private ended = 0;
  /** Why there is no usable channel; null while there is one. */
  private problem: string | null = CONNECTING;
  /** Since when there is none. */
  private unusableSince = new Date();

  constructor(
    private readonly addresses: readonly BrokerAddress[],
    protected readonly timing: RabbitmqTiming,
  ) {
    this.backoff = new Backoff(timing.reconnectFromMs, timing.reconnectUpToMs);
  }

  /** The connection's name in the broker's management UI. */
  protected abstract readonly name: string;
  protected abstract wrap(amqp: ConfirmChannel): Channel;
  protected abstract declare(amqp: ConfirmChannel, channel: Channel): Promise<void>;
  protected abstract onReady(channel: Channel): void;
  protected abstract logProblem(reason: string): void;
  /** Waits for the work in flight, within a time limit. */
  protected abstract drain(): Promise<void>;
  abstract onBlocked(reason: string): void;
  abstract onUnblocked(): void;

  /** Aborted when the connection is to stop. */
  protected get signal(): AbortSignal {
    return this.stopping.signal;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Why the connection is not usable, for an operator; null while it is. */
  whyUnusable(): string | null {
    return this.problem;
  }

  /** Since when the broker is away; null while it is there, and before the first attempt has ended. */
  awaySince(): Date | null {
    return this.problem === null || this.problem === CONNECTING ? null : this.unusableSince;
  }

  /** Waits for the work in flight, then closes the connection; may be called in any state. */
  async close(): Promise<void> {
    this.stopping.abort();
    const { link } = this;
    await this.drain();
    await link?.close(this.timing.closeMs);
    link?.cut();
    await this.running;
  }

  /** Resolves when the work succeeds or fails, and after the limit at the latest. */
  protected async atMost(limitMs: number, work: Promise<unknown>): Promise<void> {
    const waiting = new AbortController();
    const limit = pause(limitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([work.catch(() => undefined), limit]);
    waiting.abort();
  }

  private async run(): Promise<void> {
    const { signal } = this;
    while (!signal.aborted) {
      const waitMs = await this.runConnection();
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Runs one connection until it ends. Returns the wait before the next one. */
  private async runConnection(): Promise<number> {
    const { signal } = this;
    try {
      this.link = await this.openLink();
      while (this.link.isOpen && !signal.aborted) {
        await this.useChannel(this.link);
        if (this.link.isOpen) await pause(this.backoff.nextMs(), undefined, { signal });
      }
      return this.backoff.nextMs();
    } catch (error) {
      const isConflict = error instanceof DeclareConflict;
      this.fail(isConflict ? error.message : reasonOf(error));
      return isConflict ? this.backoff.slowestMs() : this.backoff.nextMs();
    } finally {
      this.link?.cut();
      this.link = null;
      this.ended += 1;
    }
  }

  /** Tries each address once, beginning after the one whose connection ended last. */
  private async openLink(): Promise<BrokerLink> {
    for (let left = this.addresses.length; ; left -= 1) {
      const address = this.addresses[this.ended % this.addresses.length] as BrokerAddress;
      try {
        return await BrokerLink.open(address, this.name, this, this.timing.setupMs, this.signal);
      } catch (error) {
        if (left <= 1 || this.signal.aborted) throw error;
        this.ended += 1;
      }
    }
  }

  private async useChannel(link: BrokerLink): Promise<void> {
    const { signal } = this;
    const { setupMs, closeMs } = this.timing;
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
    // Once the old channel is closed, the broker handles none of its messages after those of the next channel.
    if (link.isOpen) await link.within(closeMs, signal, channel.close()).catch(() => undefined);
  }

  private fail(reason: string): void {
    if (this.signal.aborted || reason === this.problem) return;
    if (this.problem === null) this.unusableSince = new Date();
    this.problem = reason;
    this.logProblem(reason);
  }
}
