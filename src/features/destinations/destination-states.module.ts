import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { DestinationsController } from './destinations.controller.ts';

/** Answers how each destination fares. */
@Module({})
export class DestinationStatesModule {
  static with({ roles }: Config): DynamicModule {
    return { module: DestinationStatesModule, controllers: roles.has('api') ? [DestinationsController] : [] };
  }
}
