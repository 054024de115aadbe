import type { DataSourceOptions } from 'typeorm';

import { ApiKeyRow } from '../secrets/api-key.row.ts';
import { MIGRATIONS } from '../schema/migrations.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 20_000;
/** A little later than the server's own: it only ends statements on connections that went dead without an error. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** How this service connects: bounded waits everywhere, and no transaction left open. */
export function dataSourceOptions(url: string, poolSize: number): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    applicationName: 'paybell',
    entities: [ApiKeyRow],
    migrations: MIGRATIONS,
    migrationsTableName: 'paybell_migration',
    migrationsRun: false,
    synchronize: false,
    logging: false,
    // An idle connection that breaks is replaced by the pool; the next statement fails if there is trouble.
    poolErrorHandler: () => undefined,
    extra: {
      max: poolSize,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
    },
  };
}
