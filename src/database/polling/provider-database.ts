import { Injectable } from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import type { PaymentProvider } from '../../ports/payment-provider.ts';
import { ProviderDatabase, type ProviderStores } from '../../ports/provider-cell.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { DueSignals } from '../../platform/scheduling/wake-signal.ts';
import { Database } from '../connection/database.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { PostgresProviderRateLimit } from './provider-rate-limit.store.ts';
import { PostgresQuoteBudget } from './quote-budget.store.ts';
import { PostgresSchedule } from './schedule.store.ts';

/** The stores of each provider, whose rows are named after it. */
@Injectable()
export class PostgresProviderDatabase extends ProviderDatabase {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly clock: Clock,
    private readonly deliverySignals: DeliverySignals,
    private readonly due: DueSignals,
    private readonly health: DatabaseHealth,
  ) {
    super();
  }

  storesOf(provider: PaymentProvider): ProviderStores {
    const { database, rules, clock, deliverySignals, due } = this;
    const { name } = provider;
    this.health.beforeReady(async () => void (await database.query(ADD_PROVIDER, [name])));
    return {
      schedule: new PostgresSchedule(database, rules, clock, deliverySignals, due.of(name), name),
      rateLimit: new PostgresProviderRateLimit(database, provider, rules),
      quoteBudget: new PostgresQuoteBudget(database, provider),
    };
  }
}

const ADD_PROVIDER = `SELECT add_provider($1)`;
