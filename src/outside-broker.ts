import type { Provider } from '@nestjs/common';

import { NoBroker } from './destinations/rabbitmq/no-broker.ts';
import { RabbitmqDestination } from './destinations/rabbitmq/rabbitmq-destination.ts';
import { RabbitmqHealth } from './destinations/rabbitmq/rabbitmq-health.ts';
import { TrackConsumer, type TrackOptions } from './destinations/rabbitmq/track-queue/track-consumer.ts';
import { WebhookDestination } from './destinations/webhook/webhook-destination.ts';
import type { Config } from './config/config.ts';
import { Destinations } from './features/delivery/dispatch.ts';
import { Meter } from './ports/meter.ts';
import { BrokerHealth, DatabaseHealth } from './ports/readiness.ts';
import { TrackRequests } from './ports/track-requests.ts';
import { DeliverySignals } from './platform/scheduling/wake-signal.ts';

const WEBHOOKS_ONLY: Provider = {
  provide: Destinations,
  useFactory: (webhook: WebhookDestination) => new Destinations([webhook]),
  inject: [WebhookDestination],
};

/** What this process does at RabbitMQ, if anything, and with it where events are dispatched to. */
export function broker(config: Config): Provider[] {
  const { rabbitmqUrl: url, rabbitmqTrackQueue: queue, rabbitmqCa: ca, roles } = config;
  if (url === null) return withoutBroker('RABBITMQ_URL is not set');
  const isPublishing = roles.has('dispatcher');
  const isConsuming = queue !== null && roles.has('tracker');
  if (!isPublishing && !isConsuming)
    return withoutBroker(`this process does nothing at RabbitMQ: ROLES is ${[...roles].join(',')}`);
  return [
    ...(isPublishing ? publishing(config, url) : [WEBHOOKS_ONLY]),
    ...(isConsuming ? [trackConsumer({ url, queue, ca })] : []),
    {
      provide: BrokerHealth,
      useFactory: (...parts: BrokerHealth[]) => new RabbitmqHealth(parts),
      inject: [...(isPublishing ? [RabbitmqDestination] : []), ...(isConsuming ? [TrackConsumer] : [])],
    },
  ];
}

function withoutBroker(why: string): Provider[] {
  return [{ provide: BrokerHealth, useValue: new NoBroker(why) }, WEBHOOKS_ONLY];
}

function publishing(config: Config, url: string): Provider[] {
  const { rabbitmqExchange: exchange, rabbitmqEventQueue: eventQueue, rabbitmqCa: ca } = config;
  return [
    {
      provide: RabbitmqDestination,
      useFactory: (wakeSignals: DeliverySignals, meter: Meter) =>
        new RabbitmqDestination({ url, exchange, eventQueue, ca }, wakeSignals, meter),
      inject: [DeliverySignals, Meter],
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
