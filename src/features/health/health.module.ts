import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { HealthController } from './health.controller.ts';
import { Housekeeping, HousekeepingSettings } from './housekeeping.ts';
import { MetricsController } from './metrics.controller.ts';
import { NoReceiverWatch } from './no-receiver-watch.ts';
import { OperatingFigures } from './operating-figures.ts';
import { ReplicasWatch } from './replicas-watch.ts';
import { ReadinessChecks } from './readiness-checks.ts';
import { StartupReport, StartupSettings } from './startup-report.ts';

const DAY_MS = 86_400_000;

/** Health, metrics, the report at the start, and the removal of expired data. */
@Module({})
export class HealthModule {
  static with(config: Config): DynamicModule {
    const { metrics, roles, retentionDays, auditRetentionDays, providers, pollIntervalMs, underpaid } =
      config;
    const kept = new HousekeepingSettings(retentionDays * DAY_MS, auditRetentionDays * DAY_MS);
    const { host, publicUrl, servesDashboard } = config;
    const startup = new StartupSettings(
      providers,
      pollIntervalMs,
      host,
      publicUrl,
      servesDashboard,
      underpaid,
    );
    return {
      module: HealthModule,
      controllers: [HealthController, ...(metrics === 'off' ? [] : [MetricsController])],
      providers: [
        { provide: StartupSettings, useValue: startup },
        { provide: HousekeepingSettings, useValue: kept },
        StartupReport,
        ReadinessChecks,
        ReplicasWatch,
        ...(roles.has('dispatcher') ? [NoReceiverWatch] : []),
        OperatingFigures,
        ...(roles.has('tracker') ? [Housekeeping] : []),
      ],
    };
  }
}
