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
import type { ProviderCheck } from './shared/check-list.ts';

/** A provider's module, and the class that it exports. */
interface Loaded {
  readonly module: { with(config: Config): DynamicModule };
  readonly provider: Type<PaymentProvider>;
}

interface Registration {
  readonly settings: ProviderSection;
  /** The tables in which the provider keeps its quotes. */
  readonly tables: readonly QuoteTable[];
  /** Loads the provider's code, for a process that uses the provider. */
  readonly load: () => Promise<Loaded>;
  /** Loads the requests by which `paybell provider check` and `paybell doctor` try the provider. */
  readonly check: (config: Config) => Promise<ProviderCheck>;
}

/** The table for providers whose API does not know our ids: see shared/quote-store.ts. */
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
    check: async (config) => {
      const { httpCheck } = await import('./http/check/http-check.ts');
      return httpCheck(config.of(HTTP_PROVIDER_SETTINGS), config.requestsOf(HTTP_PROVIDER_SETTINGS));
    },
  },
  relay: {
    settings: RELAY_SETTINGS,
    tables: [{ name: 'relay_quote', searchedBy: 'request_id' }],
    load: async () => ({
      module: (await import('./relay/relay.module.ts')).RelayModule,
      provider: (await import('./relay/relay-provider.ts')).RelayProvider,
    }),
    check: async (config) => {
      const { relayCheck } = await import('./relay/check/relay-check.ts');
      return relayCheck(config.of(RELAY_SETTINGS), config.requestsOf(RELAY_SETTINGS));
    },
  },
  oneclick: {
    settings: ONECLICK_SETTINGS,
    tables: [KEPT_QUOTES],
    load: async () => ({
      module: (await import('./oneclick/oneclick.module.ts')).OneClickModule,
      provider: (await import('./oneclick/oneclick-provider.ts')).OneClickProvider,
    }),
    check: async (config) => {
      const { oneClickCheck } = await import('./oneclick/check/oneclick-check.ts');
      return oneClickCheck(config.of(ONECLICK_SETTINGS), config.requestsOf(ONECLICK_SETTINGS));
    },
  },
  chainflip: {
    settings: CHAINFLIP_SETTINGS,
    tables: [KEPT_QUOTES],
    load: async () => ({
      module: (await import('./chainflip/chainflip.module.ts')).ChainflipModule,
      provider: (await import('./chainflip/chainflip-provider.ts')).ChainflipProvider,
    }),
    check: async (config) => {
      const { chainflipCheck } = await import('./chainflip/check/chainflip-check.ts');
      return chainflipCheck(config.of(CHAINFLIP_SETTINGS));
    },
  },
  sandbox: {
    settings: SANDBOX_SETTINGS,
    tables: [{ name: 'sandbox_payment', searchedBy: null }],
    load: async () => ({
      module: (await import('./sandbox/sandbox.module.ts')).SandboxModule,
      provider: (await import('./sandbox/sandbox-provider.ts')).SandboxProvider,
    }),
    check: async () => (await import('./sandbox/check/sandbox-check.ts')).sandboxCheck(),
  },
} satisfies Record<string, Registration>;

export const QUOTE_TABLES = new QuoteTables(Object.values(PROVIDERS).flatMap(({ tables }) => tables));

/** The check of a provider that the configuration names. */
export function checkOf(name: string, config: Config): Promise<ProviderCheck> {
  // The configuration refuses other words.
  return PROVIDERS[name as keyof typeof PROVIDERS].check(config);
}
