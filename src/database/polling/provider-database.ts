import { Injectable } from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import type { PaymentProvider } from '../../ports/payment-provider.ts';
import { type OpenPayments, ProviderDatabase, type ProviderStores } from '../../ports/provider-cell.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { DueSignals, ProofSignal } from '../../platform/scheduling/wake-signal.ts';
import { Database } from '../connection/database.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { FINAL } from '../payments/final.ts';
import { PostgresProviderRateLimit } from './provider-rate-limit.store.ts';
import { PostgresQuoteBudget } from './quote-budget.store.ts';
import { PostgresSchedule } from './schedule.store.ts';

/** The stores of each provider; their rows have its name. */
@Injectable()
export class PostgresProviderDatabase extends ProviderDatabase {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly clock: Clock,
    private readonly due: DueSignals,
    private readonly health: DatabaseHealth,
    private readonly proofs: ProofSignal = new ProofSignal(),
  ) {
    super();
  }

  storesOf(provider: PaymentProvider): ProviderStores {
    const { database, rules, clock, due, proofs } = this;
    const { name } = provider;
    this.health.beforeReady(async () => void (await database.query(ADD_PROVIDER, [name])));
    return {
      schedule: new PostgresSchedule(database, rules, clock, due.of(name), name, proofs),
      rateLimit: new PostgresProviderRateLimit(database, provider, rules),
      quoteBudget: new PostgresQuoteBudget(database, provider),
    };
  }

  openOfOthers(names: readonly string[]): Promise<readonly OpenPayments[]> {
    return this.database.query<OpenPayments>(OPEN_OF_OTHERS, [names]);
  }
}

const OPEN_OF_OTHERS = `
  SELECT s.provider, (count(*) FILTER (WHERE p.tracking = 'active'))::integer AS active,
         (count(*) FILTER (WHERE p.tracking <> 'active'))::integer AS watched
  FROM payment_schedule s JOIN payment p ON p.id = s.payment_id
  WHERE s.provider <> ALL ($1::text[]) AND p.status NOT IN (${FINAL}) GROUP BY s.provider ORDER BY s.provider`;
const ADD_PROVIDER = `SELECT add_provider($1)`;
