import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Meter } from '../../../ports/meter.ts';
import type { DatabaseHealth, Health } from '../../../ports/readiness.ts';
import type { TrackRequests } from '../../../ports/track-requests.ts';
import { BrokerAddress } from '../broker-address.ts';
import type { BrokerLink } from '../broker-link.ts';
import { ReconnectingConnection } from '../reconnecting-connection.ts';
import { RABBITMQ_TIMING, type RabbitmqTiming } from '../rabbitmq-timing.ts';
import { declareTrackQueues } from '../topology.ts';
import { TrackChannel } from './track-channel.ts';
import { TrackHandling } from './track-handling.ts';
import { TrackIntake } from './track-intake.ts';

export interface TrackOptions {
  readonly urls: readonly string[];
  readonly queue: string;
  readonly ca?: string | null;
}

/**
 * Consumes the track queue on a connection of its own: a broker that blocks a publishing connection reads no acknowledgements
 * from it.
 */
export class TrackConsumer
  extends ReconnectingConnection<TrackChannel>
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  protected readonly name = 'paybell track queue';
  private readonly queue: string;
  private readonly handling: TrackHandling;
  /** The intake of the current channel, and those of former channels that still process messages. */
  private readonly intakes = new Set<TrackIntake>();
  private closed: Promise<void> | null = null;

  constructor(
    { urls, queue, ca = null }: TrackOptions,
    requests: TrackRequests,
    meter: Meter,
    private readonly database: DatabaseHealth,
    timing: RabbitmqTiming = RABBITMQ_TIMING,
  ) {
    super(
      urls.map((url) => new BrokerAddress(url, ca)),
      timing,
    );
    this.queue = queue;
    this.handling = new TrackHandling(queue, requests, meter, timing);
  }

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => this.start());
  }

  /** Starts to close in the first phase of the shutdown, since Nest awaits the hooks of later phases one after another. */
  onModuleDestroy(): void {
    this.closed ??= this.close();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.closed;
  }

  health(): Health {
    const problem = this.whyUnusable();
    return problem === null ? { status: 'ok' } : { status: 'degraded', detail: problem };
  }

  onBlocked(reason: string): void {
    this.log.warn(`RabbitMQ blocks publishing (${reason}); rejected track messages wait`);
  }

  onUnblocked(): void {
    this.log.log('RabbitMQ accepts rejected track messages again');
  }

  protected async open(link: BrokerLink): Promise<TrackChannel> {
    const { confirmMs, setupMs } = this.timing;
    const { queue, handling, signal } = this;
    const amqp = await link.openChannel(setupMs, signal);
    const channel = new TrackChannel(amqp, {
      confirmMs,
      wasBlockedSince: (atMs) => link.wasBlockedSince(atMs),
    });
    await declareTrackQueues(amqp, queue);
    const intake = new TrackIntake({ queue, channel, handling, signal });
    this.intakes.add(intake);
    void channel.ended.then(() => intake.idle()).then(() => this.intakes.delete(intake));
    await intake.begin();
    return channel;
  }

  protected onReady(): void {
    this.log.log(`Consuming the RabbitMQ queue "${this.queue}"`);
  }

  protected logProblem(reason: string): void {
    this.log.warn(`The track queue is not usable: ${reason}. Its messages wait in RabbitMQ; trying again`);
  }

  /** Waits for the messages in process. Messages that were only prefetched return to the queue when the channel closes. */
  protected async drain(): Promise<void> {
    const { closeMs, trackDrainMs } = this.timing;
    const { channel } = this;
    // Cancels first: a message that is put back must not be delivered here again.
    if (channel !== null) await this.atMost(closeMs, channel.cancel());
    await this.atMost(trackDrainMs, Promise.all([...this.intakes].map((intake) => intake.idle())));
    if (channel?.isOpen === true) await this.atMost(closeMs, channel.close());
  }
}
