import { type DynamicModule, Global, Module } from '@nestjs/common';

import { Config } from './config.ts';

/** The settings that this process started with. Only modules read them: each maps what its feature needs. */
@Global()
@Module({})
export class ConfigModule {
  static with(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
  }
}
