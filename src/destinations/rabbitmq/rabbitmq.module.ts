import { type DynamicModule, Module, type Provider } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { DeliverySignals } from '../../platform/scheduling/wake-signal.ts';
import { Meter } from '../../ports/meter.ts';
import { BrokerHealth, DatabaseHealth } from '../../ports/readiness.ts';
import { TrackRequests } from '../../ports/track-requests.ts';
import { NoBroker } from './no-broker.ts';
import { RabbitmqDestination } from './rabbitmq-destination.ts';
import { RabbitmqHealth } from './rabbitmq-health.ts';
import { TrackConsumer } from './track-queue/track-consumer.ts';

/** What this process does at RabbitMQ: dispatchers publish events, trackers consume the track queue. */
@Module({})
export class RabbitmqModule {
  static with(config: Config): DynamicModule {
    const parts = partsOf(config);
    const tokens = parts.map(({ provide }) => provide);
    const health = {
      provide: BrokerHealth,
      useFactory: (...used: BrokerHealth[]) =>
        used.length === 0 ? new NoBroker(reasonOf(config)) : new RabbitmqHealth(used),
      inject: tokens,
    };
    return { module: RabbitmqModule, providers: [...parts, health], exports: [BrokerHealth, ...tokens] };
  }

  /** Whether this process publishes events. */
  static publishes({ rabbitmqUrl, roles }: Config): boolean {
    return rabbitmqUrl !== null && roles.has('dispatcher');
  }
}

function partsOf(config: Config): Exclude<Provider, Function>[] {
  const { rabbitmqUrl: url, rabbitmqTrackQueue: queue, rabbitmqCa: ca, roles } = config;
  if (url === null) return [];
  const { rabbitmqExchange: exchange, rabbitmqEventQueue: eventQueue } = config;
  const destination = {
    provide: RabbitmqDestination,
    useFactory: (signals: DeliverySignals, meter: Meter) =>
      new RabbitmqDestination({ url, exchange, eventQueue, ca }, signals, meter),
    inject: [DeliverySignals, Meter],
  };
  const consumerOf = (name: string): Exclude<Provider, Function> => ({
    provide: TrackConsumer,
    useFactory: (requests: TrackRequests, meter: Meter, database: DatabaseHealth) =>
      new TrackConsumer({ url, queue: name, ca }, requests, meter, database),
    inject: [TrackRequests, Meter, DatabaseHealth],
  });
  return [
    ...(RabbitmqModule.publishes(config) ? [destination] : []),
    ...(queue !== null && roles.has('tracker') ? [consumerOf(queue)] : []),
  ];
}

function reasonOf({ rabbitmqUrl, roles }: Config): string {
  if (rabbitmqUrl === null) return 'RABBITMQ_URL is not set';
  return `this process does nothing at RabbitMQ: ROLES is ${[...roles].join(',')}`;
}
