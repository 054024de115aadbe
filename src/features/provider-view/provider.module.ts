import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { minGapMs, urgencyRules } from '../../domain/polling/urgency-rules.ts';
import { ProviderController } from './provider.controller.ts';
import { ProviderSettings } from './provider.settings.ts';

/** Returns the state of each provider. */
@Module({})
export class ProviderModule {
  static with(config: Config): DynamicModule {
    if (!config.roles.has('api')) return { module: ProviderModule };
    const settings = new ProviderSettings(urgencyRules(config).pollIntervalMs, minGapMs(config));
    return {
      module: ProviderModule,
      controllers: [ProviderController],
      providers: [{ provide: ProviderSettings, useValue: settings }],
    };
  }
}
