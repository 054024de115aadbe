import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';

import type { Config } from '../../config/config.ts';
import { ApiKeyChecker } from '../../platform/http/api-key-middleware.ts';
import { KnownKeys, SentKeys } from '../../ports/api-keys.ts';
import { ApiKeyGuard } from './api-key.guard.ts';
import { ApiKeyVerifier } from './api-key-verifier.ts';
import { EnvKeys } from './env-keys.ts';
import { FirstKey, FirstKeySettings, KeyDisplay } from './first-key.ts';
import { KeyCheck } from './key-check.ts';
import { KeyThrottle } from './key-throttle.ts';
import { KeysController } from './keys.controller.ts';
import { ManagedKeys } from './managed-keys.ts';
import { NotedUses } from './noted-uses.ts';

/** API keys: who may use the API. */
@Global()
@Module({})
export class ApiKeysModule {
  static with(config: Config): DynamicModule {
    const { apiKeys, roles } = config;
    return {
      module: ApiKeysModule,
      controllers: roles.has('api') ? [KeysController] : [],
      providers: [
        { provide: EnvKeys, useValue: new EnvKeys(apiKeys) },
        ApiKeyVerifier,
        { provide: KnownKeys, useExisting: ApiKeyVerifier },
        { provide: SentKeys, useClass: KeyThrottle },
        NotedUses,
        KeyCheck,
        ManagedKeys,
        { provide: ApiKeyChecker, useExisting: KeyCheck },
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        KeyDisplay,
        { provide: FirstKeySettings, useValue: new FirstKeySettings(config.dashboardUrl()) },
        FirstKey,
      ],
      exports: [ApiKeyChecker, KnownKeys, SentKeys],
    };
  }
}
