import { DataSource } from 'typeorm';

import { PostgresApiKeys } from '../database/secrets/api-keys.store.ts';
import { dataSourceOptions } from '../database/connection/data-source-options.ts';
import { Database } from '../database/connection/database.ts';
import { runningUrl } from '../platform/embedded-postgres/running-url.ts';
import type { Config } from '../config/config.ts';
import type { ApiKeys } from '../ports/api-keys.ts';

const POOL_SIZE = 2;

/** Opens the keys of the database that the service uses. */
export async function openKeyStore(
  config: Config,
): Promise<{ apiKeys: ApiKeys; close: () => Promise<void> }> {
  const source = new DataSource(
    dataSourceOptions(config.databaseUrl ?? runningUrl(config.dataDir), POOL_SIZE),
  );
  try {
    await source.initialize();
  } catch (error) {
    const hint = config.databaseUrl === null ? ' Is Paybell running?' : '';
    throw new Error(`The database does not answer.${hint}`, { cause: error });
  }
  const database = new Database(source);
  database.open();
  return { apiKeys: new PostgresApiKeys(database), close: () => source.destroy() };
}
