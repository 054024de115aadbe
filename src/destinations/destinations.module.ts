import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';

import type { Config } from '../config/config.ts';
import type { Destination } from '../ports/deliveries.ts';
import { type DestinationDescriptor, DestinationKinds, Destinations } from '../ports/destinations.ts';
import { type ConnectionHealth, ConnectionHealths } from '../ports/readiness.ts';
import { RabbitmqModule } from './rabbitmq/rabbitmq.module.ts';
import { WebhookModule } from './webhook/webhook.module.ts';

/** A destination, as its module sets it up for this process. The module exports the classes. */
interface Wired {
  readonly module: DynamicModule;
  readonly descriptor: DestinationDescriptor;
  /** The destination for this process; null: it does not deliver to the destination. */
  readonly destination: Type<Destination> | null;
  /** Null: it keeps no connection. */
  readonly health: Type<ConnectionHealth> | null;
}

const MODULES: readonly { wire(config: Config): Wired | Promise<Wired> }[] = [WebhookModule, RabbitmqModule];

/** The destinations of events, for every module. */
@Global()
@Module({})
export class DestinationsModule {
  static async with(config: Config): Promise<DynamicModule> {
    const wired = await Promise.all(MODULES.map(async (each) => each.wire(config)));
    const modules = wired.map(({ module }) => module);
    const kinds = new DestinationKinds(wired.map(({ descriptor }) => descriptor));
    const destinations = {
      provide: Destinations,
      useFactory: (...all: Destination[]) => new Destinations(all),
      inject: wired.flatMap(({ destination }) => destination ?? []),
    };
    const healths = {
      provide: ConnectionHealths,
      useFactory: (...all: ConnectionHealth[]) => new ConnectionHealths(all),
      inject: wired.flatMap(({ health }) => health ?? []),
    };
    return {
      module: DestinationsModule,
      imports: modules,
      providers: [{ provide: DestinationKinds, useValue: kinds }, destinations, healths],
      exports: [DestinationKinds, Destinations, ConnectionHealths, ...modules],
    };
  }
}
