import { type DynamicModule, Global, Module } from '@nestjs/common';

import type { Config } from '../config/config.ts';
import { HttpProviderModule } from './http/http-provider.module.ts';
import { RelayModule } from './relay/relay.module.ts';
import { SandboxModule } from './sandbox/sandbox.module.ts';

const MODULES = { http: HttpProviderModule, relay: RelayModule, sandbox: SandboxModule } as const;

/** The provider of PROVIDER, as PaymentProvider for every module. */
@Global()
@Module({})
export class ProvidersModule {
  static with(config: Config): DynamicModule {
    const provider = MODULES[config.provider];
    return { module: ProvidersModule, imports: [provider.with(config)], exports: [provider] };
  }
}
