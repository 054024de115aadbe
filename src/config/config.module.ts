import { type DynamicModule, Global, Module } from '@nestjs/common';

import { Config } from './config.ts';

/** The settings with which this process started. Only modules read them: each maps the settings that its feature needs. */
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
