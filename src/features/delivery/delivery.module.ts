import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { Dispatchers } from './dispatchers.ts';

/** Delivers recorded events to every destination. */
@Module({})
export class DeliveryModule {
  static with({ roles }: Config): DynamicModule {
    return { module: DeliveryModule, providers: roles.has('dispatcher') ? [Dispatchers] : [] };
  }
}
