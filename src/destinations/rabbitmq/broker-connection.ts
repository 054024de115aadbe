import type { ConfirmChannel } from 'amqplib';

import type { BrokerAddress } from './broker-address.ts';
import { reasonOf } from './broker-error.ts';
import { ReconnectingConnection } from './reconnecting-connection.ts';
import { PublishChannel } from './publish-channel.ts';
import type { RabbitmqTiming } from './rabbitmq-timing.ts';
import { declareEventQueue, declareExchange } from './topology.ts';

/** Where events are published to. */
export interface PublishTopology {
  readonly exchange: string;
  /** A queue of Paybell's own that every event gets into. */
  readonly eventQueue: string | null;
}

/** Keeps one publishing channel alive, with the exchange and the event queue declared on it. */
export class BrokerConnection extends ReconnectingConnection<PublishChannel> {
  protected readonly name = 'paybell';

  constructor(
    address: BrokerAddress,
    private readonly topology: PublishTopology,
    timing: RabbitmqTiming,
    private readonly onUsable: (isNew: boolean) => void,
  ) {
    super(address, timing);
  }

  /** The channel to publish on; null while there is none or the broker blocks it. */
  usable(): PublishChannel | null {
    const isHeldBack = this.signal.aborted || this.link?.isBlocked === true;
    return isHeldBack ? null : this.channel;
  }

  override whyUnusable(): string | null {
    return this.link?.isBlocked === true ? 'blocked by the broker' : super.whyUnusable();
  }

  /** Told when a publish of then is still unconfirmed: a silent channel is replaced, a blocked one is only waited for. */
  noteSilence(channel: PublishChannel, sinceMs: number): void {
    if (this.link === null || this.link.wasBlockedSince(sinceMs)) return;
    channel.end(`no confirm within ${this.timing.confirmMs / 1_000} s`);
  }

  /** Told when no queue got an event: an event queue that should have is gone, and declared again on the next channel. */
  noteUnroutable(channel: PublishChannel): void {
    if (this.topology.eventQueue !== null) channel.end('the event queue is gone, or not bound');
  }

  onBlocked(reason: string): void {
    this.log.warn(`RabbitMQ blocks publishing (${reason}); events wait in the database`);
  }

  onUnblocked(): void {
    this.log.log('RabbitMQ takes events again');
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

  /** Where others are bound too, nothing tells that the event queue was deleted: it is declared again and again. */
  private keepDeclared(channel: PublishChannel, declare: () => Promise<void>): void {
    let isAsked = false;
    const timer = setInterval(() => {
      if (isAsked || this.link?.isBlocked === true) return;
      isAsked = true;
      declare()
        .catch((error: unknown) => channel.end(reasonOf(error)))
        .finally(() => (isAsked = false));
    }, this.timing.declareEveryMs);
    void channel.ended.then(() => clearInterval(timer));
  }
}
