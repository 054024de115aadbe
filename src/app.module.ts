import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';

import type { Config } from './config/config.ts';
import { ChainsModule } from './chains/chains.module.ts';
import { ConfigModule } from './config/config.module.ts';
import { DatabaseModule } from './database/database.module.ts';
import { DestinationsModule } from './destinations/destinations.module.ts';
import { AdoptionModule } from './features/adoption/adoption.module.ts';
import { ApiKeysModule } from './features/api-keys/api-keys.module.ts';
import { AttentionModule } from './features/attention/attention.module.ts';
import { AuditModule } from './features/audit/audit.module.ts';
import { DashboardModule } from './features/dashboard/dashboard.module.ts';
import { DeliveryModule } from './features/delivery/delivery.module.ts';
import { DestinationStatesModule } from './features/destinations/destination-states.module.ts';
import { EventsModule } from './features/events/events.module.ts';
import { FiguresModule } from './features/figures/figures.module.ts';
import { HealthModule } from './features/health/health.module.ts';
import { PayerPageModule } from './features/payer-page/payer-page.module.ts';
import { PaymentsModule } from './features/payments/payments.module.ts';
import { PollingModule } from './features/polling/polling.module.ts';
import { ProofModule } from './features/proof/proof.module.ts';
import { ProviderModule } from './features/provider-view/provider.module.ts';
import { QuotesModule } from './features/quotes/quotes.module.ts';
import { SessionsModule } from './features/sessions/sessions.module.ts';
import { SystemModule } from './features/system/system.module.ts';
import { WebhookEndpointsModule } from './features/webhook-endpoints/webhook-endpoints.module.ts';
import { HttpModule } from './platform/http/http.module.ts';
import { PlatformModule } from './platform/platform.module.ts';
import { ProvidersModule } from './providers/providers.module.ts';

/** All modules of the service. Ports are global: a module injects a port and imports none of its implementations. */
@Module({})
export class AppModule {
  static async with(
    config: Config,
    databaseUrls: readonly string[],
    encryptionKey: Buffer,
  ): Promise<DynamicModule> {
    // Awaited here: as a promise in `imports`, a failure would be an unhandled rejection before Nest awaits it.
    const [providers, destinations] = await Promise.all([
      ProvidersModule.with(config),
      DestinationsModule.with(config),
    ]);
    return {
      module: AppModule,
      imports: [
        ScheduleModule.forRoot(),
        ConfigModule.with(config),
        PlatformModule,
        HttpModule.with(config, config.roles.has('api'), config.publicUrl),
        DatabaseModule.with(config, databaseUrls, encryptionKey),
        providers,
        destinations,
        ChainsModule.with(config),
        ...featuresOf(config),
      ],
    };
  }
}

function featuresOf(config: Config): (DynamicModule | Type)[] {
  return [
    ApiKeysModule.with(config),
    AuditModule.with(config),
    SessionsModule.with(config),
    DashboardModule.with(config),
    AdoptionModule,
    QuotesModule.with(config),
    PaymentsModule.with(config),
    PollingModule.with(config),
    ProofModule.with(config),
    DeliveryModule.with(config),
    WebhookEndpointsModule.with(config),
    DestinationStatesModule.with(config),
    EventsModule.with(config),
    PayerPageModule.with(config),
    HealthModule.with(config),
    FiguresModule.with(config),
    ProviderModule.with(config),
    AttentionModule.with(config),
    SystemModule.with(config),
  ];
}
