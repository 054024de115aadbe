import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';

import type { Config } from '../../config/config.ts';
import { AuditController } from './audit.controller.ts';
import { AuditInterceptor } from './audit.interceptor.ts';
import { RefusedChanges } from './refused-changes.ts';

/** The log of all changes. */
@Module({})
export class AuditModule {
  static with({ roles }: Config): DynamicModule {
    return {
      module: AuditModule,
      controllers: roles.has('api') ? [AuditController] : [],
      providers: [RefusedChanges, { provide: APP_INTERCEPTOR, useClass: AuditInterceptor }],
    };
  }
}
