import { EventEmitter } from 'node:events';

import type { DataSourceOptions } from 'typeorm';

import { MIGRATIONS } from '../schema/migrations.ts';
import { type AddressPoolConfig, DRIVER } from './address-pool.ts';
import { LIMITS, MIGRATION_LIMITS, STATEMENT_TIMEOUT_MS, type Writes } from './server-limits.ts';
import type { Limits } from './session-settings.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Applies where another address is left to try. */
const CONNECT_ONE_TIMEOUT_MS = 2_000;
/** A little longer than the server's own limit: ends only statements on connections that died without an error. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** For one statement of a migration: changing a large table takes longer than other statements may. */
const MIGRATION_TIMEOUT_MS = 1_800_000;

/** How migrations connect. */
export class MigrationOptions {
  constructor(readonly options: DataSourceOptions) {}
}

/**
 * The options with which this service connects to one address or the first of several, with bounded waits everywhere.
 * Limits that the server enforces are in server-limits.ts and session-settings.ts. A caller that uses repositories adds
 * the entities.
 */
export function dataSourceOptions(
  url: string | readonly string[],
  poolSize: number,
  writes: Writes = 'respect',
): DataSourceOptions {
  return optionsOf(poolOptions([url].flat(), poolSize, writes));
}

/** The same, for a pool without TypeORM. */
export function poolOptions(
  urls: readonly string[],
  poolSize: number,
  writes: Writes = 'respect',
): AddressPoolConfig {
  const limits = LIMITS[writes];
  return { ...waitsOf(urls), max: poolSize, query_timeout: QUERY_TIMEOUT_MS, pipeline: true, limits };
}

export function migrationOptions(
  url: string | readonly string[],
  writes: Writes = 'respect',
): DataSourceOptions {
  const limits = MIGRATION_LIMITS[writes];
  return optionsOf({ ...waitsOf([url].flat()), max: 1, query_timeout: MIGRATION_TIMEOUT_MS, limits });
}

/** Whether sources with these options write although `default_transaction_read_only` is on. */
export function writesOf({ extra }: DataSourceOptions): Writes {
  const { limits } = extra as { readonly limits: Limits };
  return limits.default_transaction_read_only === 'off' ? 'force' : 'respect';
}

function waitsOf(
  urls: readonly string[],
): Pick<AddressPoolConfig, 'addresses' | 'refusals' | 'connectionTimeoutMillis' | 'keepAlive'> {
  return {
    addresses: urls,
    refusals: new EventEmitter(),
    connectionTimeoutMillis: urls.length > 1 ? CONNECT_ONE_TIMEOUT_MS : CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}

function optionsOf(extra: AddressPoolConfig): DataSourceOptions {
  return {
    type: 'postgres',
    driver: DRIVER,
    applicationName: 'paybell',
    migrations: MIGRATIONS,
    migrationsTableName: 'paybell_migration',
    migrationsRun: false,
    synchronize: false,
    logging: false,
    // The pool replaces an idle connection that breaks; trouble shows at the next statement.
    poolErrorHandler: () => undefined,
    extra,
  };
}
