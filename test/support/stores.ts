import type { DataSource } from 'typeorm';

import { Database } from '../../src/database/connection/database.ts';
import { PostgresDeliveries } from '../../src/database/deliveries/deliveries.store.ts';
import { PostgresDeliveryLog } from '../../src/database/deliveries/delivery-log.store.ts';
import { EndpointEntity } from '../../src/database/entities/endpoint.entity.ts';
import { PostgresWebhookEndpoints } from '../../src/database/endpoints/webhook-endpoints.store.ts';
import { PostgresEventLog } from '../../src/database/events/event-log.store.ts';
import { PostgresIdempotency } from '../../src/database/payments/idempotency.store.ts';
import { PostgresPaymentProgresses } from '../../src/database/payments/payment-progress.store.ts';
import { type ProofRecording, RecordSettings } from '../../src/database/events/record-settings.ts';
import { PostgresProviderRateLimit } from '../../src/database/polling/provider-rate-limit.store.ts';
import { PostgresReplays } from '../../src/database/deliveries/replays.store.ts';
import { PostgresSingleTargets } from '../../src/database/deliveries/single-targets.store.ts';
import { PostgresRetention } from '../../src/database/payments/retention.store.ts';
import { PostgresProofFigures } from '../../src/database/proof/proof-figures.store.ts';
import { PostgresProofs } from '../../src/database/proof/proofs.store.ts';
import { PostgresWithheldPayments } from '../../src/database/proof/withheld.store.ts';
import { PostgresWatchedDeposits } from '../../src/database/proof/watched-deposits.store.ts';
import { USUAL_SUMS } from '../../src/domain/payment/amounts.ts';
import { SecretBox } from '../../src/database/secrets/secret-box.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import { QUOTE_TABLES } from '../../src/providers/registered-providers.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { DueSignals, ProofSignal } from '../../src/platform/scheduling/wake-signal.ts';
import { DESTINATION_KINDS } from './destination-kinds.ts';
import { FakeMeter } from './fakes/meter.fake.ts';
import { LeasingPayments, LeasingSchedule } from './leasing-stores.ts';
import { URGENCY_RULES } from './urgency-rules.ts';

export { paymentToAdd } from './payment-to-add.ts';
export { URGENCY_RULES } from './urgency-rules.ts';

/** The key that seals the secrets of the tests' endpoints. */
export const TEST_BOX = new SecretBox(Buffer.alloc(32, 7));

/** The provider of the payments in tests. */
export const PROVIDER = 'http';

export interface Stores {
  /** The data source for the repositories of further stores. */
  readonly source: DataSource;
  readonly database: Database;
  readonly rules: RecordSettings;
  readonly payments: LeasingPayments;
  readonly progresses: PostgresPaymentProgresses;
  readonly schedule: LeasingSchedule;
  readonly deliveries: PostgresDeliveries;
  readonly deliveryLog: PostgresDeliveryLog;
  readonly eventLog: PostgresEventLog;
  readonly idempotency: PostgresIdempotency;
  readonly rateLimit: PostgresProviderRateLimit;
  readonly proofs: PostgresProofs;
  readonly proofFigures: PostgresProofFigures;
  readonly watchedDeposits: PostgresWatchedDeposits;
  readonly withheld: PostgresWithheldPayments;
  readonly replays: PostgresReplays;
  readonly retention: PostgresRetention;
  readonly singleTargets: PostgresSingleTargets;
  readonly wakeSignals: DeliverySignals;
  readonly due: DueSignals;
}

/** The way to a migrated database, open. */
export function databaseOn(source: DataSource): Database {
  const database = new Database(source);
  database.open();
  return database;
}

export interface StoreOptions {
  readonly maxRpm?: number;
  readonly lateWatchMs?: number;
  /** Left out: VERIFY is off. */
  readonly proof?: ProofRecording | null;
  readonly ordersAreUnique?: boolean;
}

/** The stores of one replica on a connected, migrated database. */
export function storesOn(
  source: DataSource,
  {
    maxRpm = 0,
    lateWatchMs = URGENCY_RULES.lateWatchMs,
    proof = null,
    ordersAreUnique = true,
  }: StoreOptions = {},
): Stores {
  const database = databaseOn(source);
  const urgency = { ...URGENCY_RULES, lateWatchMs };
  const rules = new RecordSettings(900_000, urgency, 'paybell', proof, USUAL_SUMS, ordersAreUnique);
  const clock = { now: () => new Date() };
  const wakeSignals = new DeliverySignals();
  const due = new DueSignals();
  const limits = { maxConcurrency: 64, batchSize: 1, timeoutMs: 5_000, maxRpm };
  return {
    source,
    database,
    rules,
    payments: new LeasingPayments(wakeSignals, database, rules, clock, due, new FakeMeter(), QUOTE_TABLES),
    progresses: new PostgresPaymentProgresses(database, TEST_BOX, DESTINATION_KINDS),
    schedule: new LeasingSchedule(wakeSignals, database, rules, clock, due.of(PROVIDER), PROVIDER),
    deliveries: new PostgresDeliveries(database),
    deliveryLog: new PostgresDeliveryLog(database, wakeSignals, TEST_BOX, DESTINATION_KINDS),
    eventLog: new PostgresEventLog(database),
    idempotency: new PostgresIdempotency(database),
    rateLimit: new PostgresProviderRateLimit(database, { name: PROVIDER, limits } as PaymentProvider, rules),
    proofFigures: new PostgresProofFigures(database, rules),
    proofs: new PostgresProofs(database, rules, clock, new FakeMeter()),
    watchedDeposits: new PostgresWatchedDeposits(database, rules, clock, new FakeMeter(), new ProofSignal()),
    withheld: new PostgresWithheldPayments(database, rules, clock, new FakeMeter(), due),
    replays: new PostgresReplays(database),
    retention: new PostgresRetention(database, QUOTE_TABLES),
    singleTargets: new PostgresSingleTargets(database),
    wakeSignals,
    due,
  };
}

/** The webhook endpoints of this replica. */
export function endpointsOn(
  { database, source }: Pick<Stores, 'database' | 'source'>,
  { box = TEST_BOX, now = () => new Date() } = {},
): PostgresWebhookEndpoints {
  return new PostgresWebhookEndpoints(database, source.getRepository(EndpointEntity), box, { now });
}
