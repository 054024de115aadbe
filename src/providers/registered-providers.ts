import { HTTP_PROVIDER_SETTINGS } from './http/http-settings.ts';
import { ONECLICK_SETTINGS } from './oneclick/oneclick-settings.ts';
import { RELAY_SETTINGS } from './relay/relay-settings.ts';
import { SANDBOX_SETTINGS } from './sandbox/sandbox-settings.ts';

/** Every provider by its word in PROVIDER: its settings, and its module, which is loaded only where it is used. */
export const PROVIDERS = {
  http: {
    settings: HTTP_PROVIDER_SETTINGS,
    module: async () => (await import('./http/http-provider.module.ts')).HttpProviderModule,
  },
  relay: {
    settings: RELAY_SETTINGS,
    module: async () => (await import('./relay/relay.module.ts')).RelayModule,
  },
  oneclick: {
    settings: ONECLICK_SETTINGS,
    module: async () => (await import('./oneclick/oneclick.module.ts')).OneClickModule,
  },
  sandbox: {
    settings: SANDBOX_SETTINGS,
    module: async () => (await import('./sandbox/sandbox.module.ts')).SandboxModule,
  },
} as const;
