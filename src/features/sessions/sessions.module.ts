import { type DynamicModule, Global, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { NoSessions, SessionKeys } from '../../platform/http/session-keys.ts';
import { SessionAudit } from './session-audit.ts';
import { SessionCookies } from './session-cookies.ts';
import { SessionService } from './session.service.ts';
import { SessionsController } from './sessions.controller.ts';
import { SignInController } from './sign-in.controller.ts';
import { SignInThrottle } from './sign-in-throttle.ts';
import { WhoamiController } from './whoami.controller.ts';

/** Who is signed in to the dashboard. Without the dashboard only API keys count. */
@Global()
@Module({})
export class SessionsModule {
  static with(config: Config): DynamicModule {
    const { roles, servesDashboard } = config;
    return {
      module: SessionsModule,
      controllers: [
        ...(roles.has('api') ? [WhoamiController] : []),
        ...(servesDashboard ? [SessionsController, SignInController] : []),
      ],
      providers: servesDashboard
        ? [SessionAudit, SessionService, SignInThrottle, { provide: SessionKeys, useClass: SessionCookies }]
        : [{ provide: SessionKeys, useClass: NoSessions }],
      exports: [SessionKeys],
    };
  }
}
