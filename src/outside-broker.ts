import type { Provider } from '@nestjs/common';

import { NoBroker } from './adapters/rabbitmq/no-broker.ts';
import { RabbitmqDestination } from './adapters/rabbitmq/rabbitmq-destination.ts';
import { RabbitmqHealth } from './adapters/rabbitmq/rabbitmq-health.ts';
import { TrackConsumer, type TrackOptions } from './adapters/rabbitmq/track-consumer.ts';
import { WebhookDestination } from './adapters/webhook/webhook-destination.ts';
import type { Config } from './config.ts';
import { Destinations } from './dispatch/dispatch.ts';
import { Meter } from './ports/meter.ts';
import { BrokerHealth, DatabaseHealth } from './ports/readiness.ts';
import { TrackRequests } from './ports/track-requests.ts';
import { OwedBells } from './scheduling/bell.ts';

/** RabbitMQ, or its absence, and with it where events are dispatched to. */
export function broker(config: Config): Provider[] {
  const { rabbitmqUrl: url, rabbitmqTrackQueue: queue, rabbitmqCa: ca } = config;
  if (url === null) {
    return [
      { provide: BrokerHealth, useClass: NoBroker },
      {
        provide: Destinations,
        useFactory: (webhook: WebhookDestination) => new Destinations([webhook]),
        inject: [WebhookDestination],
      },
    ];
  }
  const isConsuming = queue !== null && config.roles.has('tracker');
  return [
    {
      provide: RabbitmqDestination,
      useFactory: (bells: OwedBells, meter: Meter) =>
        new RabbitmqDestination(
          { url, exchange: config.rabbitmqExchange, eventQueue: config.rabbitmqEventQueue, ca },
          bells,
          meter,
        ),
      inject: [OwedBells, Meter],
    },
    ...(isConsuming ? [trackConsumer({ url, queue, ca })] : []),
    {
      provide: BrokerHealth,
      useFactory: (...parts: BrokerHealth[]) => new RabbitmqHealth(parts),
      inject: [RabbitmqDestination, ...(isConsuming ? [TrackConsumer] : [])],
    },
    {
      provide: Destinations,
      useFactory: (webhook: WebhookDestination, rabbitmq: RabbitmqDestination) =>
        new Destinations([webhook, rabbitmq]),
      inject: [WebhookDestination, RabbitmqDestination],
    },
  ];
}

function trackConsumer(options: TrackOptions): Provider {
  return {
    provide: TrackConsumer,
    useFactory: (requests: TrackRequests, meter: Meter, database: DatabaseHealth) =>
      new TrackConsumer(options, requests, meter, database),
    inject: [TrackRequests, Meter, DatabaseHealth],
  };
}
