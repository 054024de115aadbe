import { type DynamicModule, Global, Module } from '@nestjs/common';

import type { Config } from '../config/config.ts';
import type { Destination } from '../ports/deliveries.ts';
import { Destinations } from '../ports/destinations.ts';
import { RabbitmqDestination } from './rabbitmq/rabbitmq-destination.ts';
import { RabbitmqModule } from './rabbitmq/rabbitmq.module.ts';
import { WebhookDestination } from './webhook/webhook-destination.ts';
import { WebhookModule } from './webhook/webhook.module.ts';

/** Where events are delivered to, for every module. */
@Global()
@Module({})
export class DestinationsModule {
  static with(config: Config): DynamicModule {
    const rabbitmq = RabbitmqModule.with(config);
    const destinations = {
      provide: Destinations,
      useFactory: (...all: Destination[]) => new Destinations(all),
      inject: [WebhookDestination, ...(RabbitmqModule.publishes(config) ? [RabbitmqDestination] : [])],
    };
    return {
      module: DestinationsModule,
      imports: [WebhookModule, rabbitmq],
      providers: [destinations],
      exports: [Destinations, WebhookModule, rabbitmq],
    };
  }
}
