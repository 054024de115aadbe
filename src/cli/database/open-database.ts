import { DataSource } from 'typeorm';

import { ENTITIES } from '../../database/entities/entities.ts';
import { dataSourceOptions } from '../../database/connection/data-source-options.ts';
import { Database } from '../../database/connection/database.ts';
import { failureWords } from '../../database/connection/failure-words.ts';
import { runningUrl } from '../../platform/embedded-postgres/service-database.ts';
import type { Config } from '../../config/config.ts';

const POOL_SIZE = 2;

/** Opens the database that the service uses, without migrating it. */
export async function openDatabase(
  config: Config,
): Promise<{ database: Database; source: DataSource; close: () => Promise<void> }> {
  const urls = config.databaseUrls ?? [runningUrl(config.dataDir)];
  const options = dataSourceOptions(urls, POOL_SIZE, config.databaseReadWrite);
  const source = new DataSource({ ...options, entities: ENTITIES });
  try {
    await source.initialize();
  } catch (error) {
    const why = config.databaseUrls === null ? 'Is Paybell running?' : `(${failureWords(error)})`;
    throw new Error(`The database does not answer. ${why}`, { cause: error });
  }
  const database = new Database(source);
  database.open();
  return { database, source, close: () => source.destroy() };
}
