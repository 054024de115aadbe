import type { Provider } from '@nestjs/common';

import { NoBroker } from './adapters/rabbitmq/no-broker.ts';
import { RabbitmqDestination } from './adapters/rabbitmq/rabbitmq-destination.ts';
import { WebhookDestination } from './adapters/webhook/webhook-destination.ts';
import type { Config } from './config.ts';
import { Destinations } from './dispatch/dispatch.ts';
import { BrokerHealth } from './ports/readiness.ts';
import { OwedBells } from './scheduling/bell.ts';

/** RabbitMQ, or its absence, and with it where events are dispatched to. */
export function broker({ rabbitmqUrl, rabbitmqExchange }: Config): Provider[] {
  if (rabbitmqUrl === null) {
    return [
      { provide: BrokerHealth, useClass: NoBroker },
      {
        provide: Destinations,
        useFactory: (webhook: WebhookDestination) => new Destinations([webhook]),
        inject: [WebhookDestination],
      },
    ];
  }
  return [
    {
      provide: RabbitmqDestination,
      useFactory: (bells: OwedBells) =>
        new RabbitmqDestination({ url: rabbitmqUrl, exchange: rabbitmqExchange }, bells),
      inject: [OwedBells],
    },
    { provide: BrokerHealth, useExisting: RabbitmqDestination },
    {
      provide: Destinations,
      useFactory: (webhook: WebhookDestination, rabbitmq: RabbitmqDestination) =>
        new Destinations([webhook, rabbitmq]),
      inject: [WebhookDestination, RabbitmqDestination],
    },
  ];
}
