import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';

import type { ConnectionTrouble } from '../../ports/readiness.ts';
import { Backoff } from './backoff.ts';
import type { BrokerAddress } from './broker-address.ts';
import { isRefused, reasonOf } from './broker-error.ts';
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
  /** True: a message ended the channel. The next channel is opened at once, and the broker is healthy. */
  readonly isEndedByMessage?: boolean;
  /** Closes the channel at the broker. */
  close(): Promise<void>;
}

/**
 * Keeps one channel open: connects, declares exchange and queues, and starts again after growing waits when connection or
 * channel ends.
 */
export abstract class ReconnectingConnection<Channel extends ManagedChannel> implements LinkListener {
  protected readonly log = new Logger('RabbitMQ');
  protected link: BrokerLink | null = null;
  protected channel: Channel | null = null;
  private readonly stopping = new AbortController();
  private readonly backoff: Backoff;
  private running: Promise<void> | null = null;
  /** Counts ended connections; the next one begins with the next address. */
  private ended = 0;
  /** The reason why there is no usable channel; null while there is one. */
  private problem: string | null = CONNECTING;
  /** True: the broker answers, but refuses the connection or a declaration. */
  private isRefused = false;
  /** Since when no channel has worked. A channel that ends before it was used successfully does not change this. */
  private unusableSince: Date | null = new Date();

  constructor(
    private readonly addresses: readonly BrokerAddress[],
    protected readonly timing: RabbitmqTiming,
  ) {
    this.backoff = new Backoff(timing.reconnectFromMs, timing.reconnectUpToMs);
  }

  /** The connection's name in the broker's management UI. */
  protected abstract readonly name: string;
  /** Opens a channel and declares exchange and queues. */
  protected abstract open(link: BrokerLink): Promise<Channel>;
  /** `isNew`: there was a problem before. */
  protected abstract onReady(isNew: boolean): void;
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

  /** Why and since when the connection is not usable; null while it is usable, and before the first attempt has ended. */
  connectionTrouble(): ConnectionTrouble | null {
    const { problem, unusableSince: since } = this;
    if (problem === null || problem === CONNECTING || since === null) return null;
    return { problem: this.isRefused ? 'refuses' : 'away', detail: problem, since };
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
        const waitMs = await this.useChannel(this.link);
        if (this.link.isOpen) await pause(waitMs, undefined, { signal });
      }
      return this.backoff.nextMs();
    } catch (error) {
      const isConflict = error instanceof DeclareConflict;
      // The error of a channel does not say why its connection was closed.
      const { reason } = this.link?.isRefused === true ? this.link : { reason: reasonOf(error) };
      const isByBroker = isConflict || isRefused(error) || this.link?.isRefused === true;
      this.fail(isConflict ? error.message : reason, isByBroker);
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

  /** Uses one channel until it ends. Returns the wait before the next one on this connection. */
  private async useChannel(link: BrokerLink): Promise<number> {
    const { signal } = this;
    const { setupMs, closeMs, reopenMs } = this.timing;
    const channel = await link.within(setupMs, signal, this.open(link));
    const readyAtMs = performance.now();
    const isNew = this.problem !== null;
    this.channel = channel;
    this.problem = null;
    this.onReady(isNew);
    const reason = await channel.ended;
    this.channel = null;
    if (channel.isProven || performance.now() - readyAtMs > STEADY_AFTER_MS) {
      this.backoff.reset();
      this.unusableSince = null;
    }
    const isOne = channel.isEndedByMessage === true && link.isOpen;
    const isByMessage = channel.isEndedByMessage === true || link.isRefused;
    if (!isOne) this.fail(reason ?? link.reason, isByMessage);
    await link.leave(channel, closeMs, signal);
    return isOne ? reopenMs : this.backoff.nextMs();
  }

  private fail(reason: string, isRefusedByBroker = false): void {
    if (this.signal.aborted || reason === this.problem) return;
    this.unusableSince ??= new Date();
    this.problem = reason;
    this.isRefused = isRefusedByBroker;
    this.logProblem(reason);
  }
}
