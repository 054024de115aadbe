import { Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Config } from '../../config/config.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { SingleTargets } from '../../ports/destinations.ts';
import { Meter } from '../../ports/meter.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { TrackRequests } from '../../ports/track-requests.ts';
import { rabbitmqDescriptor } from './rabbitmq-descriptor.ts';
import { RabbitmqHealth, type RabbitmqPart } from './rabbitmq-health.ts';

/** Sets up this process's work at RabbitMQ: dispatchers publish events, trackers consume the track queue. */
@Module({})
export class RabbitmqModule implements OnApplicationBootstrap {
  constructor(private readonly config: Config) {}

  static async wire(config: Config) {
    const { rabbitmqUrls: urls, rabbitmqExchange: exchange, rabbitmqTrackQueue: trackQueue, roles } = config;
    const destination = urls !== null && roles.has('dispatcher') ? await destinationOf(config, urls) : null;
    const isConsumer = trackQueue !== null && roles.has('tracker');
    const consumer = urls !== null && isConsumer ? await consumerOf(config, urls, trackQueue) : null;
    const parts = [destination, consumer].filter((part) => part !== null);
    const tokens = parts.map(({ provide }) => provide);
    const health = {
      provide: RabbitmqHealth,
      useFactory: (...parts: RabbitmqPart[]) => new RabbitmqHealth(parts, whyOff(config)),
      inject: tokens,
    };
    // Only a process that would publish turns publishing off.
    const isEnabled = urls !== null ? true : roles.has('dispatcher') ? false : null;
    return {
      module: { module: RabbitmqModule, providers: [...parts, health], exports: [RabbitmqHealth, ...tokens] },
      descriptor: rabbitmqDescriptor({ exchange, trackQueue, isEnabled }),
      destination: destination?.provide ?? null,
      health: RabbitmqHealth,
    };
  }

  onApplicationBootstrap(): void {
    if (this.config.rabbitmqUrls === null)
      new Logger('Paybell').log('RABBITMQ_URL is not set: nothing is published to RabbitMQ');
  }
}

/** Loads amqplib, as does `consumerOf`. */
async function destinationOf(config: Config, urls: readonly string[]) {
  const { RabbitmqDestination } = await import('./rabbitmq-destination.ts');
  const { rabbitmqExchange: exchange, rabbitmqEventQueue: eventQueue, rabbitmqCa: ca } = config;
  return {
    provide: RabbitmqDestination,
    useFactory: (targets: SingleTargets, signals: DeliverySignals, meter: Meter) =>
      new RabbitmqDestination({ urls, exchange, eventQueue, ca }, targets, signals, meter),
    inject: [SingleTargets, DeliverySignals, Meter],
  };
}

async function consumerOf({ rabbitmqCa: ca }: Config, urls: readonly string[], queue: string) {
  const { TrackConsumer } = await import('./track-queue/track-consumer.ts');
  return {
    provide: TrackConsumer,
    useFactory: (requests: TrackRequests, meter: Meter, database: DatabaseHealth) =>
      new TrackConsumer({ urls, queue, ca }, requests, meter, database),
    inject: [TrackRequests, Meter, DatabaseHealth],
  };
}

function whyOff({ rabbitmqUrls, roles }: Config): string {
  if (rabbitmqUrls === null) return 'RABBITMQ_URL is not set';
  return `this process does nothing at RabbitMQ: ROLES is ${[...roles].join(',')}`;
}
