import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';

import { ApiKeyGuard } from './features/api-keys/api-key.guard.ts';
import { FirstKey, KeyDisplay } from './features/api-keys/first-key.ts';
import { KeyCheck } from './features/api-keys/key-check.ts';
import { ApiKeyVerifier } from './features/api-keys/api-key-verifier.ts';
import { dataSourceOptions } from './database/connection/data-source-options.ts';
import { Adoption } from './features/adoption/adoption.ts';
import { Config } from './config/config.ts';
import { Dispatch } from './features/delivery/dispatch.ts';
import { EventsController } from './features/events/events.controller.ts';
import { LogWatch } from './features/events/log-watch.ts';
import { StreamsController } from './features/events/streams.controller.ts';
import { Streams } from './features/events/streams.ts';
import { SchemasController } from './features/events/schemas.controller.ts';
import { ChainKeeper } from './features/quotes/chain-keeper.ts';
import { ChainList } from './features/quotes/chain-list.ts';
import { QuotesController } from './features/quotes/quotes.controller.ts';
import { Lookups } from './features/quotes/lookups.ts';
import { QuoteService } from './features/quotes/quote.service.ts';
import { QuoteIdempotency } from './features/quotes/quote-idempotency.ts';
import { RequestCheck } from './features/quotes/request-check.ts';
import { StatusService } from './features/quotes/status.service.ts';
import { TokenDecimals } from './features/quotes/token-decimals.ts';
import { TokenSearch } from './features/quotes/token-search.ts';
import { ApiDescription } from './platform/http/api-description.ts';
import { DocsController } from './platform/http/docs.controller.ts';
import { UnknownRouteController } from './platform/http/unknown-route.controller.ts';
import { HealthController } from './features/health/health.controller.ts';
import { Housekeeping } from './features/health/housekeeping.ts';
import { MetricsController } from './features/health/metrics.controller.ts';
import { OperatingFigures } from './features/health/operating-figures.ts';
import { ReadinessChecks } from './features/health/readiness-checks.ts';
import { outside } from './outside.ts';
import { providerControllers } from './outside-provider.ts';
import { PaymentsService } from './features/payments/payments.service.ts';
import { PaymentsController } from './features/payments/payments.controller.ts';
import { TrackMessages } from './features/payments/track-messages.ts';
import { Attention } from './ports/attention.ts';
import { DueNow } from './ports/due-now.ts';
import { ImmediatePoll } from './ports/immediate-poll.ts';
import { ProviderHealth } from './ports/readiness.ts';
import { TrackRequests } from './ports/track-requests.ts';
import { DueSignal, DeliverySignals, ReplaySignal } from './platform/scheduling/wake-signal.ts';
import { sliceRules } from './slice-rules.ts';
import { Start } from './start.ts';
import { AttentionNotes } from './features/polling/attention-notes.ts';
import { DueNowNotes } from './features/polling/due-now-notes.ts';
import { ClaimingPoll } from './features/polling/claiming-poll.ts';
import { PollRecorder } from './features/polling/poll-recorder.ts';
import { RateLimitView } from './features/polling/rate-limit-view.ts';
import { ProviderLimiter } from './features/polling/provider-limiter.ts';
import { ProviderCircuit } from './features/polling/provider-circuit.ts';
import { TrackerMaintenance } from './features/polling/tracker-maintenance.ts';
import { Tracker } from './features/polling/tracker.ts';
import { DeliveriesController } from './features/webhook-endpoints/deliveries.controller.ts';
import { EndpointActionsController } from './features/webhook-endpoints/endpoint-actions.controller.ts';
import { ReplaysController } from './features/webhook-endpoints/replays.controller.ts';
import { ReplayWorker } from './features/webhook-endpoints/replay-worker.ts';
import { SecretRenewal } from './features/webhook-endpoints/secret-renewal.ts';
import { TestSlots } from './features/webhook-endpoints/test-slots.ts';
import { WebhookEndpointsController } from './features/webhook-endpoints/webhook-endpoints.controller.ts';

const polling: Provider[] = [
  DueSignal,
  RateLimitView,
  ProviderCircuit,
  ProviderLimiter,
  AttentionNotes,
  { provide: Attention, useExisting: AttentionNotes },
  DueNowNotes,
  { provide: DueNow, useExisting: DueNowNotes },
  { provide: ProviderHealth, useExisting: ProviderCircuit },
  PollRecorder,
  ClaimingPoll,
  { provide: ImmediatePoll, useExisting: ClaimingPoll },
];

const api: Provider[] = [
  Adoption,
  ChainList,
  Lookups,
  TokenDecimals,
  TokenSearch,
  RequestCheck,
  QuoteIdempotency,
  QuoteService,
  StatusService,
  PaymentsService,
  { provide: TrackRequests, useClass: TrackMessages },
  ApiDescription,
  TestSlots,
  KeyDisplay,
  ApiKeyVerifier,
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
        DeliverySignals,
        ReplaySignal,
        ...outside(config, encryptionKey),
        ...sliceRules(config),
        ...polling,
        ...api,
        FirstKey,
        ReadinessChecks,
        OperatingFigures,
        Start,
        ...(config.roles.has('api') ? [ChainKeeper, Streams, LogWatch] : []),
        ...(config.roles.has('tracker')
          ? [ChainKeeper, TrackerMaintenance, Tracker, Housekeeping, SecretRenewal]
          : []),
        ...(config.roles.has('dispatcher') ? [Dispatch, ReplayWorker] : []),
      ],
    };
  }
}

function controllers(config: Config): Type[] {
  return [
    QuotesController,
    PaymentsController,
    EventsController,
    StreamsController,
    WebhookEndpointsController,
    EndpointActionsController,
    ReplaysController,
    DeliveriesController,
    ...(config.docs === 'off' ? [] : [SchemasController, DocsController]),
    ...providerControllers(config),
  ];
}
