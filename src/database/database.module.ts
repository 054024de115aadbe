import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { SIMULATED_CHAINS } from '../domain/proof/simulated-output.ts';
import type { Config } from '../config/config.ts';
import { stalledAfterMs, urgencyRules } from '../domain/polling/urgency-rules.ts';
import { ApiKeys, KeyUses } from '../ports/api-keys.ts';
import { AttentionCounts } from '../ports/attention.ts';
import { AuditLog } from '../ports/audit-log.ts';
import { Deliveries } from '../ports/deliveries.ts';
import { DeliveryFigures } from '../ports/delivery-figures.ts';
import { DeliveryLog } from '../ports/delivery-log.ts';
import { KnownDestinations } from '../ports/destination-facts.ts';
import { SingleTargets } from '../ports/destinations.ts';
import { EndpointFailures } from '../ports/endpoint-failures.ts';
import { EventLog } from '../ports/event-log.ts';
import { Idempotency } from '../ports/idempotency.ts';
import { OperationalEvents } from '../ports/operational-events.ts';
import { MinuteFigures } from '../ports/minute-figures.ts';
import { PayerLinks } from '../ports/payer-links.ts';
import { PaymentProgresses } from '../ports/payment-progress.ts';
import { Payments } from '../ports/payments.ts';
import { ProofFigures } from '../ports/proof-figures.ts';
import { Proofs } from '../ports/proofs.ts';
import { ProviderDatabase } from '../ports/provider-cell.ts';
import { Queries } from '../ports/queries.ts';
import { DatabaseVersion } from '../ports/database-version.ts';
import { DatabaseHealth } from '../ports/readiness.ts';
import { Replays } from '../ports/replays.ts';
import { Replicas } from '../ports/replicas.ts';
import { Retention } from '../ports/retention.ts';
import { SecretsAtRest } from '../ports/secrets-at-rest.ts';
import { Sessions } from '../ports/sessions.ts';
import { UntoldPayments } from '../ports/untold-payments.ts';
import { UnansweredQuotes } from '../ports/unanswered-quotes.ts';
import { WebhookEndpoints } from '../ports/webhook-endpoints.ts';
import { WithheldPayments } from '../ports/withheld-payments.ts';
import { WatchedDeposits } from '../ports/watched-deposits.ts';
import { WrongKeys } from '../ports/wrong-keys.ts';
import { PostgresAuditLog } from './audit/audit-log.store.ts';
import { dataSourceOptions, MigrationOptions, migrationOptions } from './connection/data-source-options.ts';
import { PostgresDatabaseVersion } from './gate/database-version.store.ts';
import { DatabaseGate } from './gate/database-gate.ts';
import { Database } from './connection/database.ts';
import { HistoryWatch } from './history/history-watch.ts';
import { PostgresDeliveries } from './deliveries/deliveries.store.ts';
import { PostgresDeliveryFigures } from './deliveries/delivery-figures.store.ts';
import { PostgresDeliveryLog } from './deliveries/delivery-log.store.ts';
import { PostgresEndpointFailures } from './deliveries/endpoint-failures.store.ts';
import { PostgresReplays } from './deliveries/replays.store.ts';
import { PostgresSingleTargets } from './deliveries/single-targets.store.ts';
import { ENTITIES } from './entities/entities.ts';
import { PostgresOperationalEvents } from './endpoints/operational-events.store.ts';
import { PostgresKnownDestinations } from './endpoints/known-destinations.store.ts';
import { PostgresWebhookEndpoints } from './endpoints/webhook-endpoints.store.ts';
import { PostgresEventLog } from './events/event-log.store.ts';
import { PostgresAttentionCounts } from './attention/attention.store.ts';
import { PostgresMinuteFigures } from './figures/minute-figures.store.ts';
import { PostgresReplicas } from './figures/replicas.store.ts';
import { PostgresUntoldPayments } from './attention/untold.store.ts';
import { PostgresIdempotency } from './payments/idempotency.store.ts';
import { PostgresPaymentProgresses } from './payments/payment-progress.store.ts';
import { PostgresPayments } from './payments/payments.store.ts';
import { PostgresRetention } from './payments/retention.store.ts';
import { PostgresUnansweredQuotes } from './payments/unanswered-quotes.store.ts';
import { type ProofRecording, RecordSettings } from './events/record-settings.ts';
import { PostgresProviderDatabase } from './polling/provider-database.ts';
import { PostgresProofFigures } from './proof/proof-figures.store.ts';
import { PostgresProofs } from './proof/proofs.store.ts';
import { PostgresWithheldPayments } from './proof/withheld.store.ts';
import { PostgresWatchedDeposits } from './proof/watched-deposits.store.ts';
import { PostgresApiKeys } from './secrets/api-keys.store.ts';
import { PostgresKeyUses } from './secrets/key-uses.store.ts';
import { SealedPayerLinks } from './secrets/sealed-payer-links.ts';
import { SecretBox } from './secrets/secret-box.ts';
import { PostgresSecretsAtRest } from './secrets/secrets-at-rest.store.ts';
import { PostgresSessions } from './secrets/sessions.store.ts';
import { PostgresWrongKeys } from './secrets/wrong-keys.store.ts';

const STORES: Provider[] = [
  { provide: DatabaseHealth, useExisting: DatabaseGate },
  { provide: Queries, useExisting: Database },
  { provide: Payments, useClass: PostgresPayments },
  { provide: PaymentProgresses, useClass: PostgresPaymentProgresses },
  { provide: ProviderDatabase, useClass: PostgresProviderDatabase },
  { provide: Deliveries, useClass: PostgresDeliveries },
  { provide: Replays, useClass: PostgresReplays },
  { provide: EventLog, useClass: PostgresEventLog },
  { provide: DeliveryFigures, useClass: PostgresDeliveryFigures },
  { provide: DeliveryLog, useClass: PostgresDeliveryLog },
  { provide: EndpointFailures, useClass: PostgresEndpointFailures },
  { provide: SingleTargets, useClass: PostgresSingleTargets },
  { provide: Idempotency, useClass: PostgresIdempotency },
  { provide: Retention, useClass: PostgresRetention },
  { provide: ApiKeys, useClass: PostgresApiKeys },
  { provide: KeyUses, useClass: PostgresKeyUses },
  { provide: WrongKeys, useClass: PostgresWrongKeys },
  { provide: AuditLog, useClass: PostgresAuditLog },
  { provide: Sessions, useClass: PostgresSessions },
  { provide: KnownDestinations, useClass: PostgresKnownDestinations },
  { provide: WebhookEndpoints, useClass: PostgresWebhookEndpoints },
  { provide: OperationalEvents, useClass: PostgresOperationalEvents },
  { provide: SecretsAtRest, useClass: PostgresSecretsAtRest },
  { provide: MinuteFigures, useClass: PostgresMinuteFigures },
  { provide: Replicas, useClass: PostgresReplicas },
  { provide: AttentionCounts, useClass: PostgresAttentionCounts },
  { provide: UnansweredQuotes, useClass: PostgresUnansweredQuotes },
  { provide: UntoldPayments, useClass: PostgresUntoldPayments },
  { provide: DatabaseVersion, useClass: PostgresDatabaseVersion },
  { provide: Proofs, useClass: PostgresProofs },
  { provide: ProofFigures, useClass: PostgresProofFigures },
  { provide: WatchedDeposits, useClass: PostgresWatchedDeposits },
  { provide: WithheldPayments, useClass: PostgresWithheldPayments },
];

function proofRecording({ verify, chainRpc, simulatesChain }: Config): ProofRecording | null {
  if (verify === 'off') return null;
  const chainIds = simulatesChain ? SIMULATED_CHAINS : new Set(chainRpc?.keys());
  return { isRequired: verify === 'require', chainIds };
}

/** PostgreSQL behind the ports that keep data, for every module. */
@Global()
@Module({})
export class DatabaseModule {
  static with(config: Config, urls: readonly string[], encryptionKey: Buffer): DynamicModule {
    const options = dataSourceOptions(urls, config.databasePoolSize, config.databaseReadWrite);
    const orm = { ...options, autoLoadEntities: true, manualInitialization: true };
    const migration = new MigrationOptions(
      migrationOptions(config.databaseDirectUrls ?? urls, config.databaseReadWrite),
    );
    const times = [stalledAfterMs(config), urgencyRules(config)] as const;
    const record = new RecordSettings(
      ...times,
      config.eventSource,
      proofRecording(config),
      config.sums,
      config.orderIds === 'unique',
    );
    const links = new SealedPayerLinks(encryptionKey, config.encryptionKeyPrevious);
    return {
      module: DatabaseModule,
      imports: [TypeOrmModule.forRoot(orm), TypeOrmModule.forFeature(ENTITIES)],
      providers: [
        Database,
        DatabaseGate,
        HistoryWatch,
        { provide: MigrationOptions, useValue: migration },
        { provide: RecordSettings, useValue: record },
        { provide: SecretBox, useValue: new SecretBox(encryptionKey, config.encryptionKeyPrevious) },
        { provide: PayerLinks, useValue: links },
        ...STORES,
      ],
      exports: [...STORES, PayerLinks],
    };
  }
}
