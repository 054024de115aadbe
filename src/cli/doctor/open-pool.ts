import { AddressPool } from '../../database/connection/address-pool.ts';
import { poolOptions } from '../../database/connection/data-source-options.ts';
import { failureWords } from '../../database/connection/failure-words.ts';
import type { Config } from '../../config/config.ts';
import { runningUrl } from '../../platform/embedded-postgres/service-database.ts';

export type Query = <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/** Opens the database that the service uses, without TypeORM: loading that takes longer than all that the doctor asks. */
export async function openPool(config: Config): Promise<{ query: Query; close: () => Promise<void> }> {
  const urls = config.databaseUrls ?? [runningUrl(config.dataDir)];
  const pool = new AddressPool(poolOptions(urls, 1, config.databaseReadWrite));
  pool.on('error', () => undefined);
  try {
    (await pool.connect()).release();
  } catch (error) {
    const why = config.databaseUrls === null ? 'Is Paybell running?' : `(${failureWords(error)})`;
    throw new Error(`The database does not answer. ${why}`, { cause: error });
  }
  return {
    query: async <Row>(sql: string, parameters: unknown[] = []) =>
      (await pool.query(sql, parameters)).rows as Row[],
    close: () => pool.end(),
  };
}
