import { type DynamicModule, Global, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { StateStreams } from '../../platform/http/state-streams.ts';
import { EventsController } from './events.controller.ts';
import { LogWatch } from './log-watch.ts';
import { PaymentStateStreams } from './payment-state-streams.ts';
import { SchemasController } from './schemas.controller.ts';
import { StreamsController } from './streams.controller.ts';
import { Streams } from './streams.ts';

/** The event log, its streams, and the descriptions of all events. */
@Global()
@Module({})
export class EventsModule {
  static with(config: Config): DynamicModule {
    const { roles, docs } = config;
    const controllers = [EventsController, StreamsController, ...(docs === 'off' ? [] : [SchemasController])];
    const streams = [Streams, { provide: StateStreams, useClass: PaymentStateStreams }];
    return {
      module: EventsModule,
      controllers: roles.has('api') ? controllers : [],
      providers: [
        ...(roles.has('api') || roles.has('public') ? streams : []),
        ...(roles.has('api') ? [LogWatch] : []),
      ],
      exports: roles.has('public') ? [StateStreams] : [],
    };
  }
}
