import type { DataSource } from 'typeorm';

import { Database } from '../../src/adapters/postgres/database.ts';
import { PostgresDeliveries } from '../../src/adapters/postgres/deliveries.store.ts';
import { PostgresDeliveryLog } from '../../src/adapters/postgres/delivery-log.store.ts';
import { PostgresEventLog } from '../../src/adapters/postgres/event-log.store.ts';
import { PostgresIdempotency } from '../../src/adapters/postgres/idempotency.store.ts';
import { PostgresPayments } from '../../src/adapters/postgres/payments.store.ts';
import { RecordRules } from '../../src/adapters/postgres/record-rules.ts';
import { PostgresProviderPace } from '../../src/adapters/postgres/provider-pace.store.ts';
import { PostgresRecoveries } from '../../src/adapters/postgres/recoveries.store.ts';
import { PostgresRetention } from '../../src/adapters/postgres/retention.store.ts';
import { PostgresSchedule } from '../../src/adapters/postgres/schedule.store.ts';
import { SecretBox } from '../../src/adapters/postgres/secret-box.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import type { PaymentToAdd } from '../../src/ports/payments.ts';
import { DueBell, OwedBells } from '../../src/scheduling/bell.ts';

export const URGENCY_RULES = {
  pollIntervalMs: 7_000,
  inFlightMs: 5_050,
  attendedMs: 90_000,
  lateWatchMs: 86_400_000,
  watchFromMs: 30_000,
  watchUpToMs: 43_200_000,
};

/** What the secrets of the tests' endpoints are sealed with. */
export const TEST_BOX = new SecretBox(Buffer.alloc(32, 7));

export interface Stores {
  readonly database: Database;
  readonly payments: PostgresPayments;
  readonly schedule: PostgresSchedule;
  readonly deliveries: PostgresDeliveries;
  readonly deliveryLog: PostgresDeliveryLog;
  readonly eventLog: PostgresEventLog;
  readonly idempotency: PostgresIdempotency;
  readonly pace: PostgresProviderPace;
  readonly recoveries: PostgresRecoveries;
  readonly retention: PostgresRetention;
  readonly bells: OwedBells;
}

/** The way to a migrated database, open. */
export function databaseOn(source: DataSource): Database {
  const database = new Database(source);
  database.open();
  return database;
}

/** The stores of one replica on a connected, migrated database. */
export function storesOn(source: DataSource, { maxRpm = 0 } = {}): Stores {
  const database = databaseOn(source);
  const rules = new RecordRules(900_000, URGENCY_RULES, 'paybell');
  const clock = { now: () => new Date() };
  const bells = new OwedBells();
  const limits = { maxConcurrency: 64, batchSize: 1, timeoutMs: 5_000, maxRpm };
  return {
    database,
    payments: new PostgresPayments(database, rules, clock, bells, new DueBell()),
    schedule: new PostgresSchedule(database, rules, clock, bells, new DueBell()),
    deliveries: new PostgresDeliveries(database),
    deliveryLog: new PostgresDeliveryLog(database, bells, TEST_BOX),
    eventLog: new PostgresEventLog(database),
    idempotency: new PostgresIdempotency(database),
    pace: new PostgresProviderPace(database, { limits } as PaymentProvider, rules),
    recoveries: new PostgresRecoveries(database),
    retention: new PostgresRetention(database),
    bells,
  };
}

export function paymentToAdd(quoteId: string, more: Partial<PaymentToAdd> = {}): PaymentToAdd {
  return {
    quoteId,
    orderId: null,
    metadata: null,
    expiresAt: null,
    expectedMs: null,
    quoteText: `{"quoteId":"${quoteId}"}`,
    report: null,
    ...more,
  };
}
