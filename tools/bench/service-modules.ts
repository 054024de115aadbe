/** The parts of the service that the benchmark measures in its own process. */
export { Config } from '../../src/config/config.ts';
export { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
export { Database as Queries } from '../../src/database/connection/database.ts';
export { PostgresDeliveries } from '../../src/database/deliveries/deliveries.store.ts';
export { migrate } from '../../src/database/gate/migrate.ts';
export { writePartDigests } from '../../src/database/payments/payment-row.ts';
export { PostgresProviderRateLimit } from '../../src/database/polling/provider-rate-limit.store.ts';
export { PostgresSchedule } from '../../src/database/polling/schedule.store.ts';
export { stampEvent } from '../../src/domain/event/stamp-event.ts';
export { readReport } from '../../src/domain/payment/report.ts';
export { urgencyRules } from '../../src/domain/polling/urgency-rules.ts';
export { EmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
export { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
export { WakeSignal } from '../../src/platform/scheduling/wake-signal.ts';
export { PROVIDERS } from '../../src/providers/registered-providers.ts';
