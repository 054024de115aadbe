import { type DynamicModule, Global, Module } from '@nestjs/common';

import type { Config } from '../config/config.ts';

/** Only the module of the provider in use is loaded. */
const MODULES = {
  http: async () => (await import('./http/http-provider.module.ts')).HttpProviderModule,
  relay: async () => (await import('./relay/relay.module.ts')).RelayModule,
  oneclick: async () => (await import('./oneclick/oneclick.module.ts')).OneClickModule,
  sandbox: async () => (await import('./sandbox/sandbox.module.ts')).SandboxModule,
} as const;

/** The provider of PROVIDER, as PaymentProvider for every module. */
@Global()
@Module({})
export class ProvidersModule {
  static async with(config: Config): Promise<DynamicModule> {
    const provider = await MODULES[config.provider]();
    return { module: ProvidersModule, imports: [provider.with(config)], exports: [provider] };
  }
}
