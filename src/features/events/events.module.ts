import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { EventsController } from './events.controller.ts';
import { LogWatch } from './log-watch.ts';
import { SchemasController } from './schemas.controller.ts';
import { StreamsController } from './streams.controller.ts';
import { Streams } from './streams.ts';

/** The event log, its streams, and the descriptions of all events. */
@Module({})
export class EventsModule {
  static with(config: Config): DynamicModule {
    if (!config.roles.has('api')) return { module: EventsModule };
    return {
      module: EventsModule,
      controllers: [
        EventsController,
        StreamsController,
        ...(config.docs === 'off' ? [] : [SchemasController]),
      ],
      providers: [Streams, LogWatch],
    };
  }
}
