import {
  type DynamicModule,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type Provider,
} from '@nestjs/common';

import { Config } from '../../config/config.ts';
import { Clock } from '../../ports/clock.ts';
import { Meter } from '../../ports/meter.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { Queries } from '../../ports/queries.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { Timers } from '../../ports/timers.ts';
import { RelayNoticeController } from './notices/relay-notice.controller.ts';
import { RelayNotices } from './notices/relay-notices.ts';
import { ChangedRequests } from './reconcile/changed-requests.ts';
import { ReconcileLeases } from './reconcile/reconcile-leases.ts';
import { RelayReconciler } from './reconcile/relay-reconciler.ts';
import { RelayApi } from './relay-api.ts';
import { NAME, RelayProvider } from './relay-provider.ts';
import { RELAY_SETTINGS } from './relay-settings.ts';
import { RelayStore } from './quote/relay-store.ts';
import { isKnownVm } from '../shared/vm-addresses.ts';

/** Relay: quotes, statuses, notices and the lists of changed requests. */
@Module({})
export class RelayModule implements OnApplicationBootstrap {
  private readonly log = new Logger('Paybell');

  constructor(private readonly config: Config) {}

  static with(config: Config): DynamicModule {
    const takesNotices = config.of(RELAY_SETTINGS).isWebhookOn && config.roles.has('api');
    return {
      module: RelayModule,
      controllers: takesNotices ? [RelayNoticeController] : [],
      providers: [
        ...provider(config),
        ...(takesNotices ? [notices(config)] : []),
        ...(config.roles.has('tracker') ? [reconciler(config)] : []),
      ],
      exports: [RelayProvider],
    };
  }

  onApplicationBootstrap(): void {
    const { refundTo } = this.config.of(RELAY_SETTINGS);
    if (refundTo.size === 0)
      this.log.warn('RELAY_REFUND_TO is not set: Relay refunds the payer, on chains where it can');
    for (const vm of refundTo.keys()) {
      if (!isKnownVm(vm))
        this.log.warn(`RELAY_REFUND_TO names "${vm}", which is no virtual machine that Paybell knows`);
    }
  }
}

function provider(config: Config): Provider[] {
  const { baseUrl, apiKey, refundTo, appFees, quoteTtlSeconds, maxQuotesRpm } = config.of(RELAY_SETTINGS);
  const requests = config.requestsOf(RELAY_SETTINGS);
  const { timeoutMs, maxConcurrency } = requests;
  const connection = { baseUrl, apiKey: apiKey ?? '', timeoutMs, maxConcurrency };
  const options = { ...requests, maxQuotesRpm, refundTo, appFees, quoteTtlSeconds };
  return [
    { provide: RelayApi, useFactory: (clock: Clock) => new RelayApi(connection, clock), inject: [Clock] },
    {
      provide: RelayStore,
      useFactory: (queries: Queries) => new RelayStore(queries, timeoutMs),
      inject: [Queries],
    },
    {
      provide: RelayProvider,
      useFactory: (api: RelayApi, store: RelayStore, clock: Clock, timers: Timers) =>
        new RelayProvider(options, api, store, clock, timers),
      inject: [RelayApi, RelayStore, Clock, Timers],
    },
  ];
}

function notices(config: Config): Provider {
  const { apiKey, apiKeyPrevious } = config.of(RELAY_SETTINGS);
  const keys = [apiKey ?? '', apiKeyPrevious].filter((key) => key !== null);
  return {
    provide: RelayNotices,
    useFactory: (store: RelayStore, cells: ProviderCells, meter: Meter, clock: Clock) =>
      new RelayNotices(keys, store, cells.of(NAME).pollRequests, meter.of(NAME), clock),
    inject: [RelayStore, ProviderCells, Meter, Clock],
  };
}

function reconciler(config: Config): Provider {
  const { timeoutMs } = config.requestsOf(RELAY_SETTINGS);
  const { apiKey } = config.of(RELAY_SETTINGS);
  return {
    provide: RelayReconciler,
    useFactory: (
      queries: Queries,
      api: RelayApi,
      store: RelayStore,
      cells: ProviderCells,
      meter: Meter,
      database: DatabaseHealth,
    ) => {
      const cell = cells.of(NAME);
      const changed = new ChangedRequests(api, cell.rateLimit, meter.of(NAME), apiKey ?? '');
      return new RelayReconciler(new ReconcileLeases(queries), changed, store, cell, database, timeoutMs);
    },
    inject: [Queries, RelayApi, RelayStore, ProviderCells, Meter, DatabaseHealth],
  };
}
