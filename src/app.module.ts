import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';

import { ApiKeyGuard } from './access/api-key.guard.ts';
import { FirstKey, KeyDisplay } from './access/first-key.ts';
import { KeyCheck } from './access/key-check.ts';
import { KeyRing } from './access/key-ring.ts';
import { dataSourceOptions } from './adapters/postgres/data-source-options.ts';
import { Adoption } from './adoption/adoption.ts';
import { Config } from './config.ts';
import { Dispatch } from './dispatch/dispatch.ts';
import { EventsController } from './events/events.controller.ts';
import { LogWatch } from './events/log-watch.ts';
import { StreamsController } from './events/streams.controller.ts';
import { Streams } from './events/streams.ts';
import { SchemasController } from './events/schemas.controller.ts';
import { ChainKeeper } from './gateway/chain-keeper.ts';
import { ChainList } from './gateway/chain-list.ts';
import { GatewayController } from './gateway/gateway.controller.ts';
import { Lookups } from './gateway/lookups.ts';
import { QuoteMaker } from './gateway/quote-maker.ts';
import { QuoteTurns } from './gateway/quote-turns.ts';
import { RequestCheck } from './gateway/request-check.ts';
import { StatusReader } from './gateway/status-reader.ts';
import { TokenDecimals } from './gateway/token-decimals.ts';
import { TokenSearch } from './gateway/token-search.ts';
import { ApiDescription } from './http/api-description.ts';
import { DocsController } from './http/docs.controller.ts';
import { UnknownRouteController } from './http/unknown-route.controller.ts';
import { HealthController } from './operations/health.controller.ts';
import { Housekeeping } from './operations/housekeeping.ts';
import { MetricsController } from './operations/metrics.controller.ts';
import { OperatingFigures } from './operations/operating-figures.ts';
import { ReadinessChecks } from './operations/readiness.ts';
import { outside } from './outside.ts';
import { providerControllers } from './outside-provider.ts';
import { PaymentDesk } from './payments/payment-desk.ts';
import { PaymentsController } from './payments/payments.controller.ts';
import { TrackMessages } from './payments/track-messages.ts';
import { Attention } from './ports/attention.ts';
import { DueNow } from './ports/due-now.ts';
import { Looker } from './ports/looker.ts';
import { ProviderHealth } from './ports/readiness.ts';
import { TrackRequests } from './ports/track-requests.ts';
import { DueBell, OwedBells, RecoveryBell } from './scheduling/bell.ts';
import { sliceRules } from './slice-rules.ts';
import { Start } from './start.ts';
import { AttentionNotes } from './tracking/attention-notes.ts';
import { DueNowNotes } from './tracking/due-now-notes.ts';
import { ClaimingLooker } from './tracking/claiming-looker.ts';
import { LookRecorder } from './tracking/look-recorder.ts';
import { PaceView } from './tracking/pace-view.ts';
import { ProviderGate } from './tracking/provider-gate.ts';
import { ProviderWatch } from './tracking/provider-watch.ts';
import { Pulse } from './tracking/pulse.ts';
import { Tracker } from './tracking/tracker.ts';
import { DeliveriesController } from './webhooks/deliveries.controller.ts';
import { EndpointActionsController } from './webhooks/endpoint-actions.controller.ts';
import { RecoveriesController } from './webhooks/recoveries.controller.ts';
import { RecoveryWork } from './webhooks/recovery-work.ts';
import { SecretRenewal } from './webhooks/secret-renewal.ts';
import { TestSlots } from './webhooks/test-slots.ts';
import { WebhooksController } from './webhooks/webhooks.controller.ts';

const looking: Provider[] = [
  DueBell,
  PaceView,
  ProviderWatch,
  ProviderGate,
  AttentionNotes,
  { provide: Attention, useExisting: AttentionNotes },
  DueNowNotes,
  { provide: DueNow, useExisting: DueNowNotes },
  { provide: ProviderHealth, useExisting: ProviderWatch },
  LookRecorder,
  ClaimingLooker,
  { provide: Looker, useExisting: ClaimingLooker },
];

const api: Provider[] = [
  Adoption,
  ChainList,
  Lookups,
  TokenDecimals,
  TokenSearch,
  RequestCheck,
  QuoteTurns,
  QuoteMaker,
  StatusReader,
  PaymentDesk,
  { provide: TrackRequests, useClass: TrackMessages },
  ApiDescription,
  TestSlots,
  KeyDisplay,
  KeyRing,
  KeyCheck,
  { provide: APP_GUARD, useClass: ApiKeyGuard },
];

/** The whole house on one page: who is who, for the roles that this process plays. */
@Module({})
export class AppModule {
  static with(config: Config, databaseUrl: string, encryptionKey: Buffer): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ScheduleModule.forRoot(),
        TypeOrmModule.forRoot({
          ...dataSourceOptions(databaseUrl, config.databasePoolSize),
          manualInitialization: true,
        }),
      ],
      // The last one takes whatever the others leave: routes are matched in this order.
      controllers: [
        HealthController,
        ...(config.metrics === 'off' ? [] : [MetricsController]),
        ...(config.roles.has('api') ? controllers(config) : []),
        UnknownRouteController,
      ],
      providers: [
        { provide: Config, useValue: config },
        OwedBells,
        RecoveryBell,
        ...outside(config, encryptionKey),
        ...sliceRules(config),
        ...looking,
        ...api,
        FirstKey,
        ReadinessChecks,
        OperatingFigures,
        Start,
        ...(config.roles.has('api') ? [ChainKeeper, Streams, LogWatch] : []),
        ...(config.roles.has('tracker') ? [ChainKeeper, Pulse, Tracker, Housekeeping, SecretRenewal] : []),
        ...(config.roles.has('dispatcher') ? [Dispatch, RecoveryWork] : []),
      ],
    };
  }
}

function controllers(config: Config): Type[] {
  return [
    GatewayController,
    PaymentsController,
    EventsController,
    StreamsController,
    WebhooksController,
    EndpointActionsController,
    RecoveriesController,
    DeliveriesController,
    ...(config.docs === 'off' ? [] : [SchemasController, DocsController]),
    ...providerControllers(config),
  ];
}
