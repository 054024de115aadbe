import type { Provider } from '@nestjs/common';
import { Registry } from 'prom-client';

import { PostgresApiKeys } from './database/secrets/api-keys.store.ts';
import { DatabaseGate, DatabaseSettings } from './database/connection/database-gate.ts';
import { Database } from './database/connection/database.ts';
import { PostgresDeliveries } from './database/deliveries/deliveries.store.ts';
import { PostgresDeliveryFigures } from './database/deliveries/delivery-figures.store.ts';
import { PostgresDeliveryLog } from './database/deliveries/delivery-log.store.ts';
import { PostgresEventLog } from './database/events/event-log.store.ts';
import { PostgresIdempotency } from './database/payments/idempotency.store.ts';
import { PostgresPayments } from './database/payments/payments.store.ts';
import { PostgresReplays } from './database/deliveries/replays.store.ts';
import { RecordSettings } from './database/polling/record-settings.ts';
import { PostgresProviderRateLimit } from './database/polling/provider-rate-limit.store.ts';
import { PostgresQuoteBudget } from './database/polling/quote-budget.store.ts';
import { PostgresRetention } from './database/payments/retention.store.ts';
import { PostgresSchedule } from './database/polling/schedule.store.ts';
import { SecretBox } from './database/secrets/secret-box.ts';
import { PostgresSecretsAtRest } from './database/secrets/secrets-at-rest.store.ts';
import { PostgresWebhookEndpoints } from './database/endpoints/webhook-endpoints.store.ts';
import { PrometheusMeter } from './platform/metrics/prometheus-meter.ts';
import { PrometheusMetrics } from './platform/metrics/prometheus-metrics.ts';
import { SystemClock } from './platform/process/system-clock.ts';
import { AddressGuard } from './destinations/webhook/ssrf/address-guard.ts';
import { HostLookup } from './destinations/webhook/ssrf/host-lookup.ts';
import { WebhookClient } from './destinations/webhook/webhook-client.ts';
import { WebhookDestination } from './destinations/webhook/webhook-destination.ts';
import { WebhookSender } from './destinations/webhook/webhook-sender.ts';
import { WebhookTestSender } from './destinations/webhook/webhook-test-sender.ts';
import { WebhookUrlCheck } from './destinations/webhook/ssrf/webhook-url-check.ts';
import { Config } from './config/config.ts';
import { broker } from './outside-broker.ts';
import { provider } from './outside-provider.ts';
import { ApiKeys } from './ports/api-keys.ts';
import { Clock } from './ports/clock.ts';
import { Deliveries } from './ports/deliveries.ts';
import { DeliveryFigures } from './ports/delivery-figures.ts';
import { DeliveryLog } from './ports/delivery-log.ts';
import { EventLog } from './ports/event-log.ts';
import { Idempotency } from './ports/idempotency.ts';
import { Meter } from './ports/meter.ts';
import { Metrics } from './ports/metrics.ts';
import { Payments } from './ports/payments.ts';
import { ProviderRateLimit } from './ports/provider-rate-limit.ts';
import { Queries } from './ports/queries.ts';
import { QuoteBudget } from './ports/quote-budget.ts';
import { DatabaseHealth } from './ports/readiness.ts';
import { Replays } from './ports/replays.ts';
import { Retention } from './ports/retention.ts';
import { Schedule } from './ports/schedule.ts';
import { SecretsAtRest } from './ports/secrets-at-rest.ts';
import { WebhookEndpoints } from './ports/webhook-endpoints.ts';
import { WebhookTester } from './ports/webhook-tester.ts';
import { WebhookUrls } from './ports/webhook-urls.ts';
import { stalledAfterMs, urgencyRules } from './urgency-rules.ts';

/** Which adapter stands behind which port. */
export function outside(config: Config, encryptionKey: Buffer): Provider[] {
  return [
    { provide: Clock, useClass: SystemClock },
    ...database(config, encryptionKey),
    ...provider(config),
    ...webhooks(),
    ...broker(config),
    { provide: Registry, useFactory: () => new Registry() },
    { provide: Meter, useClass: PrometheusMeter },
    { provide: Metrics, useClass: PrometheusMetrics },
  ];
}

function database(config: Config, encryptionKey: Buffer): Provider[] {
  const rules = new RecordSettings(stalledAfterMs(config), urgencyRules(config), config.eventSource);
  return [
    Database,
    DatabaseGate,
    { provide: DatabaseSettings, useValue: new DatabaseSettings(config.isExchangeEnabled) },
    { provide: RecordSettings, useValue: rules },
    { provide: SecretBox, useValue: new SecretBox(encryptionKey, config.encryptionKeyPrevious) },
    { provide: DatabaseHealth, useExisting: DatabaseGate },
    { provide: Queries, useExisting: Database },
    { provide: Payments, useClass: PostgresPayments },
    { provide: Schedule, useClass: PostgresSchedule },
    { provide: ProviderRateLimit, useClass: PostgresProviderRateLimit },
    { provide: QuoteBudget, useClass: PostgresQuoteBudget },
    { provide: Deliveries, useClass: PostgresDeliveries },
    { provide: Replays, useClass: PostgresReplays },
    { provide: EventLog, useClass: PostgresEventLog },
    { provide: DeliveryFigures, useClass: PostgresDeliveryFigures },
    { provide: DeliveryLog, useClass: PostgresDeliveryLog },
    { provide: Idempotency, useClass: PostgresIdempotency },
    { provide: Retention, useClass: PostgresRetention },
    { provide: ApiKeys, useClass: PostgresApiKeys },
    { provide: WebhookEndpoints, useClass: PostgresWebhookEndpoints },
    { provide: SecretsAtRest, useClass: PostgresSecretsAtRest },
  ];
}

function webhooks(): Provider[] {
  return [
    {
      provide: AddressGuard,
      useFactory: (config: Config) => new AddressGuard(config.webhookAllowedCidrs, config.webhookAllowHttp),
      inject: [Config],
    },
    {
      provide: WebhookClient,
      useFactory: (guard: AddressGuard, config: Config) =>
        new WebhookClient(guard, new HostLookup(), { timeoutMs: config.webhookTimeoutMs }),
      inject: [AddressGuard, Config],
    },
    { provide: WebhookUrls, useClass: WebhookUrlCheck },
    WebhookSender,
    { provide: WebhookTester, useClass: WebhookTestSender },
    WebhookDestination,
  ];
}
