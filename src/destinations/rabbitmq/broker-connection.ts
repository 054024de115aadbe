import type { ConfirmChannel } from 'amqplib';

import type { ConnectionTrouble } from '../../ports/readiness.ts';
import type { BrokerAddress } from './broker-address.ts';
import { reasonOf } from './broker-error.ts';
import type { BrokerLink } from './broker-link.ts';
import type { Deadline } from './deadline.ts';
import type { EventMessage } from './event-message.ts';
import { LonePublisher } from './lone-publisher.ts';
import { type Confirm, PublishChannel } from './publish-channel.ts';
import type { RabbitmqTiming } from './rabbitmq-timing.ts';
import { ReconnectingConnection } from './reconnecting-connection.ts';
import { declareForEvents, type PublishTopology } from './topology.ts';

/** Keeps one publishing channel open, with the exchange and the event queue declared. */
export class BrokerConnection extends ReconnectingConnection<PublishChannel> {
  protected readonly name = 'paybell';
  private readonly lone: LonePublisher;
  private blockedAt = new Date();
  private redeclaring = false;
  /** Set while the broker refuses the event queue. */
  private refusedQueue: ConnectionTrouble | null = null;

  constructor(
    addresses: readonly BrokerAddress[],
    private readonly topology: PublishTopology,
    timing: RabbitmqTiming,
    private readonly onUsable: (isNew: boolean) => void,
  ) {
    super(addresses, timing);
    this.lone = new LonePublisher(
      () => this.openLone(),
      (channel, sinceMs) => this.leaveLone(channel, sinceMs),
      timing.reopenMs,
    );
  }

  /** The channel to publish on; null while there is none, the broker blocks it, or the exchange is being declared again. */
  usable(): PublishChannel | null {
    const isUnusable = this.signal.aborted || this.link?.isBlocked === true || this.redeclaring;
    return isUnusable ? null : this.channel;
  }

  /**
   * False: another event that is published alone would wait long for its turn, and take a place in the dispatcher from other
   * events.
   */
  get hasRoomAlone(): boolean {
    return this.lone.hasRoom;
  }

  /**
   * Publishes when no other message of this kind is unconfirmed, on a channel of its own: a refusal closes no other channel.
   */
  publishAlone(message: EventMessage, deadline: Deadline): Promise<Confirm | 'late' | 'aborted'> {
    return this.lone.publish(message, deadline);
  }

  override whyUnusable(): string | null {
    return this.link?.isBlocked === true ? 'blocked by the broker' : super.whyUnusable();
  }

  override connectionTrouble(): ConnectionTrouble | null {
    if (this.link?.isBlocked === true)
      return { problem: 'refuses', detail: 'blocked by the broker', since: this.blockedAt };
    return super.connectionTrouble() ?? this.refusedQueue;
  }

  /** Replaces a channel whose publish at `sinceMs` was not confirmed in time, unless the broker has blocked it. */
  replaceSilent(channel: PublishChannel, sinceMs: number): void {
    if (this.link === null || this.link.wasBlockedSince(sinceMs)) return;
    channel.end(`no confirm within ${this.timing.confirmMs / 1_000} s`);
  }

  /** Publishes nothing until the exchange and the event queue are declared again. */
  redeclare(): void {
    const { link, channel } = this;
    if (link === null || channel === null || this.redeclaring) return;
    this.redeclaring = true;
    void this.declare(link)
      .catch((error: unknown) => channel.end(reasonOf(error)))
      .finally(() => {
        this.redeclaring = false;
        this.onUsable(false);
      });
  }

  /**
   * Called when an event reached no queue: declares the event queue again, if one is set. Returns the broker's reason for a
   * refusal, or null.
   */
  afterUnroutable(): string | null {
    if (this.topology.eventQueue !== null && this.refusedQueue === null) this.redeclare();
    return this.refusedQueue?.detail ?? null;
  }

  onBlocked(reason: string): void {
    this.blockedAt = new Date();
    this.log.warn(`RabbitMQ blocks publishing (${reason}); events wait in the database`);
  }

  onUnblocked(): void {
    this.log.log('RabbitMQ accepts events again');
    this.onUsable(false);
  }

  protected async open(link: BrokerLink): Promise<PublishChannel> {
    await this.declare(link);
    const amqp = await link.openChannel(this.timing.setupMs, this.signal);
    const refusalOfConnection = () => (this.lone.isBusy ? null : link.refusal);
    const channel = new PublishChannel(amqp, this.topology.exchange, refusalOfConnection);
    if (this.topology.eventQueue !== null) this.keepDeclared(link, channel);
    return channel;
  }

  protected onReady(isNew: boolean): void {
    if (isNew) this.log.log(`Publishing to the RabbitMQ exchange "${this.topology.exchange}"`);
    this.onUsable(isNew);
  }

  protected logProblem(reason: string): void {
    this.log.warn(`RabbitMQ is not usable: ${reason}. Events wait in the database; trying again`);
  }

  protected async drain(): Promise<void> {
    if (this.channel !== null) await this.atMost(this.timing.drainMs, this.channel.idle());
  }

  private async openLone(): Promise<PublishChannel> {
    const { link } = this;
    if (link === null) throw new Error('there is no connection');
    const amqp = await link.openChannel(this.timing.setupMs, this.signal);
    return new PublishChannel(amqp, this.topology.exchange, () => link.refusal);
  }

  /**
   * Closes a silent channel for lone messages, unless the broker has blocked the connection: then the message is still on its
   * way, as on the other channel.
   */
  private async leaveLone(channel: PublishChannel, sinceMs: number): Promise<void> {
    const { link } = this;
    if (link?.wasBlockedSince(sinceMs) === false) await link.leave(channel, this.timing.closeMs);
  }

  /** Uses channels of its own, since a refused declaration closes its channel. */
  private async declare(link: BrokerLink): Promise<void> {
    const { setupMs } = this.timing;
    const onChannel = async <T>(use: (channel: ConfirmChannel) => Promise<T>): Promise<T> => {
      const channel = await link.openChannel(setupMs, this.signal);
      channel.on('error', () => undefined);
      const answer = await use(channel);
      await channel.close();
      return answer;
    };
    const why = await link.within(setupMs, this.signal, declareForEvents(onChannel, this.topology));
    if (why !== null && why !== this.refusedQueue?.detail)
      this.log.warn(
        `RabbitMQ refuses a queue: ${why}. Events go to other queues that are bound; trying again`,
      );
    const since = this.refusedQueue?.since ?? new Date();
    this.refusedQueue = why === null ? null : { problem: 'refuses', detail: why, since };
  }

  /** Declares the event queue periodically: if other queues are bound, no failed publish would reveal its deletion. */
  private keepDeclared(link: BrokerLink, channel: PublishChannel): void {
    const { declareEveryMs, reconnectUpToMs } = this.timing;
    let timer: NodeJS.Timeout | null = null;
    let isOver = false;
    const wait = (): void => {
      const afterMs = this.refusedQueue === null ? declareEveryMs : reconnectUpToMs;
      timer = isOver ? null : setTimeout(again, afterMs);
    };
    const again = (): void => {
      if (link.isBlocked || this.redeclaring) return wait();
      void this.declare(link)
        .catch((error: unknown) => channel.end(reasonOf(error)))
        .finally(wait);
    };
    wait();
    void channel.ended.then(() => {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
    });
  }
}
