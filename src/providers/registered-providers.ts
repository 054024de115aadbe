import type { DynamicModule, Type } from '@nestjs/common';

import type { Config } from '../config/config.ts';
import type { ProviderSection } from '../config/setting.ts';
import type { PaymentProvider } from '../ports/payment-provider.ts';
import { QuoteTables, type QuoteTable } from '../ports/quote-tables.ts';
import { CHAINFLIP_SETTINGS } from './chainflip/chainflip-settings.ts';
import { HTTP_PROVIDER_SETTINGS } from './http/http-settings.ts';
import { ONECLICK_SETTINGS } from './oneclick/oneclick-settings.ts';
import { RELAY_SETTINGS } from './relay/relay-settings.ts';
import { SANDBOX_SETTINGS } from './sandbox/sandbox-settings.ts';

/** A provider's module, and the class that it exports. */
interface Loaded {
  readonly module: { with(config: Config): DynamicModule };
  readonly provider: Type<PaymentProvider>;
}

interface Registration {
  readonly settings: ProviderSection;
  /** The tables in which it keeps its quotes. */
  readonly tables: readonly QuoteTable[];
  /** Loads its code, for a process that uses it. */
  readonly load: () => Promise<Loaded>;
}

/** For providers whose API does not know our ids: see shared/quote-store.ts. */
const KEPT_QUOTES: QuoteTable = { name: 'provider_quote', searchedBy: null };

/** Every provider, by its name in PROVIDER. */
export const PROVIDERS = {
  http: {
    settings: HTTP_PROVIDER_SETTINGS,
    tables: [],
    load: async () => ({
      module: (await import('./http/http-provider.module.ts')).HttpProviderModule,
      provider: (await import('./http/http-provider.ts')).HttpProvider,
    }),
  },
  relay: {
    settings: RELAY_SETTINGS,
    tables: [{ name: 'relay_quote', searchedBy: 'request_id' }],
    load: async () => ({
      module: (await import('./relay/relay.module.ts')).RelayModule,
      provider: (await import('./relay/relay-provider.ts')).RelayProvider,
    }),
  },
  oneclick: {
    settings: ONECLICK_SETTINGS,
    tables: [KEPT_QUOTES],
    load: async () => ({
      module: (await import('./oneclick/oneclick.module.ts')).OneClickModule,
      provider: (await import('./oneclick/oneclick-provider.ts')).OneClickProvider,
    }),
  },
  chainflip: {
    settings: CHAINFLIP_SETTINGS,
    tables: [KEPT_QUOTES],
    load: async () => ({
      module: (await import('./chainflip/chainflip.module.ts')).ChainflipModule,
      provider: (await import('./chainflip/chainflip-provider.ts')).ChainflipProvider,
    }),
  },
  sandbox: {
    settings: SANDBOX_SETTINGS,
    tables: [{ name: 'sandbox_payment', searchedBy: null }],
    load: async () => ({
      module: (await import('./sandbox/sandbox.module.ts')).SandboxModule,
      provider: (await import('./sandbox/sandbox-provider.ts')).SandboxProvider,
    }),
  },
} satisfies Record<string, Registration>;

export const QUOTE_TABLES = new QuoteTables(Object.values(PROVIDERS).flatMap(({ tables }) => tables));
