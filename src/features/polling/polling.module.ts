import { type DynamicModule, Global, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { minGapMs, stalledAfterMs, urgencyRules } from '../../domain/polling/urgency-rules.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { PollingCells } from './polling-cells.ts';
import { PollingRules } from './polling.settings.ts';

/** Polls open payments: the tracker by schedule, and every process at once when a caller asks. */
@Global()
@Module({})
export class PollingModule {
  static with(config: Config): DynamicModule {
    const rules = new PollingRules(
      urgencyRules(config),
      stalledAfterMs(config),
      minGapMs(config),
      config.roles.has('tracker'),
      config.verify,
      config.sums,
    );
    return {
      module: PollingModule,
      providers: [
        { provide: PollingRules, useValue: rules },
        PollingCells,
        { provide: ProviderCells, useFactory: ({ cells }: PollingCells) => cells, inject: [PollingCells] },
      ],
      exports: [ProviderCells],
    };
  }
}
