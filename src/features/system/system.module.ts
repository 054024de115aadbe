import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { SystemController } from './system.controller.ts';
import { SystemSettings } from './system.settings.ts';

/** Returns which release runs here, and how long it keeps data. */
@Module({})
export class SystemModule {
  static with({ roles, retentionDays, auditRetentionDays }: Config): DynamicModule {
    const settings = new SystemSettings(retentionDays, auditRetentionDays);
    return {
      module: SystemModule,
      controllers: roles.has('api') ? [SystemController] : [],
      providers: [{ provide: SystemSettings, useValue: settings }],
    };
  }
}
