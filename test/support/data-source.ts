import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { ENTITIES } from '../../src/database/entities/entities.ts';
import type { TestDatabase } from './database.ts';

const POOL_SIZE = 10;

/**
 * A data source like the service's, connected, which is closed when the database is dropped. It loads TypeORM, which
 * `database.ts` does not.
 */
export async function openDataSource(db: TestDatabase): Promise<DataSource> {
  const source = await new DataSource({
    ...dataSourceOptions(db.url, POOL_SIZE),
    entities: ENTITIES,
  }).initialize();
  db.beforeDrop(async () => {
    if (source.isInitialized) await source.destroy();
  });
  return source;
}
