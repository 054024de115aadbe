import type { Provider, Type } from '@nestjs/common';

import { RelayApi } from './providers/relay/relay-api.ts';
import { RelayNoticeController } from './providers/relay/notices/relay-notice.controller.ts';
import { RelayNotices } from './providers/relay/notices/relay-notices.ts';
import { RelayProvider } from './providers/relay/relay-provider.ts';
import { RelayStore } from './providers/relay/relay-store.ts';
import { RelayReconciler } from './providers/relay/reconcile/relay-reconciler.ts';
import { ChangedRequests } from './providers/relay/reconcile/changed-requests.ts';
import { ReconcileTurns } from './providers/relay/reconcile/reconcile-turns.ts';
import { HttpProvider } from './providers/http/http-provider.ts';
import { SandboxController } from './providers/sandbox/sandbox.controller.ts';
import { SandboxProvider } from './providers/sandbox/sandbox-provider.ts';
import type { Config } from './config/config.ts';
import { Clock } from './ports/clock.ts';
import { DueNow } from './ports/due-now.ts';
import { Meter } from './ports/meter.ts';
import { PaymentProvider } from './ports/payment-provider.ts';
import { ProviderRateLimit } from './ports/provider-rate-limit.ts';
import { Queries } from './ports/queries.ts';
import { DatabaseHealth } from './ports/readiness.ts';
import { Schedule } from './ports/schedule.ts';

/** Who is asked for quotes and statuses. */
export function provider(config: Config): Provider[] {
  if (config.provider === 'relay') return relay(config);
  if (config.provider === 'sandbox') {
    const options = {
      speed: config.sandboxSpeed,
      autopay: config.sandboxAutopay,
      maxRpm: config.providerMaxRpm,
    };
    return [
      {
        provide: SandboxProvider,
        useFactory: (queries: Queries, clock: Clock) => new SandboxProvider(queries, options, clock),
        inject: [Queries, Clock],
      },
      { provide: PaymentProvider, useExisting: SandboxProvider },
    ];
  }
  return [{ provide: PaymentProvider, useFactory: () => httpProvider(config) }];
}

function httpProvider(config: Config): HttpProvider {
  return new HttpProvider({
    baseUrl: config.providerBaseUrl ?? '',
    apiKey: config.providerApiKey,
    auth: config.providerAuth,
    timeoutMs: config.providerTimeoutMs,
    maxConcurrency: config.providerMaxConcurrency,
    maxRpm: config.providerMaxRpm,
  });
}

function relay(config: Config): Provider[] {
  const { baseUrl, apiKey, refundTo, appFees, quoteTtlSeconds, maxQuotesRpm } = config.relay;
  const { providerTimeoutMs: timeoutMs, providerMaxConcurrency: maxConcurrency } = config;
  const options = {
    maxRpm: config.providerMaxRpm,
    maxQuotesRpm,
    timeoutMs,
    maxConcurrency,
    refundTo,
    appFees,
    quoteTtlSeconds,
    referrer: null,
    failsUnderpaid: config.relay.underpaid === 'fail',
  };
  return [
    {
      provide: RelayApi,
      useFactory: () => new RelayApi({ baseUrl, apiKey: apiKey ?? '', timeoutMs, maxConcurrency }),
    },
    {
      provide: RelayStore,
      useFactory: (queries: Queries) => new RelayStore(queries, timeoutMs),
      inject: [Queries],
    },
    {
      provide: PaymentProvider,
      useFactory: (api: RelayApi, store: RelayStore, clock: Clock) =>
        new RelayProvider(options, api, store, clock),
      inject: [RelayApi, RelayStore, Clock],
    },
    ...relayNews(config, apiKey ?? ''),
  ];
}

/** How Relay's changes are heard of before the next poll. */
function relayNews({ relay, roles, providerTimeoutMs: timeoutMs }: Config, apiKey: string): Provider[] {
  const keys = [apiKey, relay.apiKeyPrevious].filter((key) => key !== null);
  const notices: Provider = {
    provide: RelayNotices,
    useFactory: (store: RelayStore, dueNow: DueNow, meter: Meter, clock: Clock) =>
      new RelayNotices({ keys }, store, dueNow, meter, clock),
    inject: [RelayStore, DueNow, Meter, Clock],
  };
  const sweep: Provider[] = [
    {
      provide: ChangedRequests,
      useFactory: (api: RelayApi, rateLimit: ProviderRateLimit, meter: Meter) =>
        new ChangedRequests(api, rateLimit, meter, apiKey),
      inject: [RelayApi, ProviderRateLimit, Meter],
    },
    {
      provide: RelayReconciler,
      useFactory: (
        queries: Queries,
        reader: ChangedRequests,
        store: RelayStore,
        rateLimit: ProviderRateLimit,
        schedule: Schedule,
        dueNow: DueNow,
        database: DatabaseHealth,
      ) =>
        new RelayReconciler(
          new ReconcileTurns(queries),
          reader,
          store,
          rateLimit,
          schedule,
          dueNow,
          database,
          {
            timeoutMs,
          },
        ),
      inject: [Queries, ChangedRequests, RelayStore, ProviderRateLimit, Schedule, DueNow, DatabaseHealth],
    },
  ];
  return [
    ...(relay.isWebhookOn && roles.has('api') ? [notices] : []),
    ...(roles.has('tracker') ? sweep : []),
  ];
}

/** What a provider answers beside the API: a tester who plays the payer, Relay's notices. */
export function providerControllers({ provider, relay }: Config): Type[] {
  if (provider === 'sandbox') return [SandboxController];
  return provider === 'relay' && relay.isWebhookOn ? [RelayNoticeController] : [];
}
