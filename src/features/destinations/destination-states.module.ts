import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { DestinationsController } from './destinations.controller.ts';

/** Returns the state of each destination. */
@Module({})
export class DestinationStatesModule {
  static with({ roles }: Config): DynamicModule {
    return { module: DestinationStatesModule, controllers: roles.has('api') ? [DestinationsController] : [] };
  }
}
