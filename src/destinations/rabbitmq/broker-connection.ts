import type { ConfirmChannel } from 'amqplib';

import type { BrokerAddress } from './broker-address.ts';
import { reasonOf } from './broker-error.ts';
import { ReconnectingConnection } from './reconnecting-connection.ts';
import { PublishChannel } from './publish-channel.ts';
import type { RabbitmqTiming } from './rabbitmq-timing.ts';
import { declareEventQueue, declareExchange } from './topology.ts';

/** The exchange and queue that events are published to. */
export interface PublishTopology {
  readonly exchange: string;
  /** A queue that Paybell declares and binds for all events; null: none. */
  readonly eventQueue: string | null;
}

/** Keeps one publishing channel open, and declares the exchange and the event queue on it. */
export class BrokerConnection extends ReconnectingConnection<PublishChannel> {
  protected readonly name = 'paybell';
  private blockedAt = new Date();

  constructor(
    addresses: readonly BrokerAddress[],
    private readonly topology: PublishTopology,
    timing: RabbitmqTiming,
    private readonly onUsable: (isNew: boolean) => void,
  ) {
    super(addresses, timing);
  }

  /** The channel to publish on; null while there is none or the broker blocks it. */
  usable(): PublishChannel | null {
    const isUnusable = this.signal.aborted || this.link?.isBlocked === true;
    return isUnusable ? null : this.channel;
  }

  /** Since when the broker blocks publishing; null: it does not. */
  blockedSince(): Date | null {
    return this.link?.isBlocked === true ? this.blockedAt : null;
  }

  override whyUnusable(): string | null {
    return this.link?.isBlocked === true ? 'blocked by the broker' : super.whyUnusable();
  }

  /** Replaces a channel whose publish since `sinceMs` was not confirmed in time, unless the broker has blocked it. */
  replaceSilent(channel: PublishChannel, sinceMs: number): void {
    if (this.link === null || this.link.wasBlockedSince(sinceMs)) return;
    channel.end(`no confirm within ${this.timing.confirmMs / 1_000} s`);
  }

  /** Replaces the channel after an unroutable event: the event queue, if set, is missing and is declared on the new channel. */
  redeclareAfterUnroutable(channel: PublishChannel): void {
    if (this.topology.eventQueue !== null) channel.end('the event queue is missing or not bound');
  }

  onBlocked(reason: string): void {
    this.blockedAt = new Date();
    this.log.warn(`RabbitMQ blocks publishing (${reason}); events wait in the database`);
  }

  onUnblocked(): void {
    this.log.log('RabbitMQ accepts events again');
    this.onUsable(false);
  }

  protected wrap(amqp: ConfirmChannel): PublishChannel {
    return new PublishChannel(amqp, this.topology.exchange);
  }

  protected async declare(amqp: ConfirmChannel, channel: PublishChannel): Promise<void> {
    const { exchange, eventQueue } = this.topology;
    await declareExchange(amqp, exchange);
    if (eventQueue === null) return;
    await declareEventQueue(amqp, exchange, eventQueue);
    this.keepDeclared(channel, () => declareEventQueue(amqp, exchange, eventQueue));
  }

  protected onReady(): void {
    this.log.log(`Publishing to the RabbitMQ exchange "${this.topology.exchange}"`);
    this.onUsable(true);
  }

  protected logProblem(reason: string): void {
    this.log.warn(`RabbitMQ is not usable: ${reason}. Events wait in the database; trying again`);
  }

  protected async drain(): Promise<void> {
    if (this.channel !== null) await this.atMost(this.timing.drainMs, this.channel.idle());
  }

  /** Declares the event queue periodically: while other queues are bound, no publish fails when it was deleted. */
  private keepDeclared(channel: PublishChannel, declare: () => Promise<void>): void {
    let isPending = false;
    const timer = setInterval(() => {
      if (isPending || this.link?.isBlocked === true) return;
      isPending = true;
      declare()
        .catch((error: unknown) => channel.end(reasonOf(error)))
        .finally(() => (isPending = false));
    }, this.timing.declareEveryMs);
    void channel.ended.then(() => clearInterval(timer));
  }
}
