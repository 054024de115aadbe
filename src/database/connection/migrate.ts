import type { DataSource } from 'typeorm';

import { VERSION } from '../../platform/process/version.ts';
import type { Queries } from '../../ports/queries.ts';
import { applyFunctions, readFunctionTexts, type FunctionText } from './apply-functions.ts';

/** Any number will do, as long as every replica takes the same. */
const MIGRATION_LOCK = 7_226_235_655;

/** A release and the functions that it brings. */
export interface Release {
  readonly version: string;
  readonly functions: readonly FunctionText[];
}

/** What a migration has changed. */
export interface Migrated {
  readonly migrations: readonly string[];
  readonly functions: readonly string[];
  /** The events come from another server, whose transactions had higher numbers. */
  readonly isLogContinued: boolean;
}

export function thisRelease(): Release {
  return { version: VERSION, functions: readFunctionTexts() };
}

/**
 * Brings tables, then functions, up to the release. The lock lets one replica do so while the others wait; it goes with the
 * connection if the replica dies. `source` needs two connections and is closed afterwards, which frees the lock.
 */
export async function migrate(source: DataSource, release: Release = thisRelease()): Promise<Migrated> {
  await source.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  const done = await source.runMigrations({ transaction: 'all' });
  const functions = await inTransaction(source, (queries) =>
    applyFunctions(queries, release.version, release.functions),
  );
  const [log] = await source.query<{ is_continued: boolean }[]>(CONTINUE_LOG);
  return {
    migrations: done.map(({ name }) => name),
    functions,
    isLogContinued: log?.is_continued === true,
  };
}

function inTransaction<Result>(
  source: DataSource,
  work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  return source.transaction((manager) =>
    work({
      query: <Row>(sql: string, values: readonly unknown[] = []) => manager.query<Row[]>(sql, [...values]),
    }),
  );
}

const CONTINUE_LOG = `SELECT continue_log() AS is_continued`;
