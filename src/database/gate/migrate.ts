import { setTimeout as sleep } from 'node:timers/promises';

import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';

import { VERSION } from '../../platform/version.ts';
import type { Queries } from '../../ports/queries.ts';
import { ofBegin } from '../connection/connection-errors.ts';
import { writesOf } from '../connection/data-source-options.ts';
import { MIGRATION_LIMITS } from '../connection/server-limits.ts';
import { type Limits, settingQuery } from '../connection/session-settings.ts';
import { INDEXES } from '../schema/indexes.ts';
import { applyFunctions, readFunctionTexts, type FunctionText } from './apply-functions.ts';

/** The number is arbitrary, but every replica must use the same. */
const MIGRATION_LOCK = 7_226_235_655;
const TRY_LOCK_EVERY_MS = 100;

/** A release and the functions that it brings. */
export interface Release {
  readonly version: string;
  readonly functions: readonly FunctionText[];
}

/** The changes that a migration has made. */
export interface Migrated {
  readonly migrations: readonly string[];
  readonly functions: readonly string[];
}

/** How to wait while another replica migrates. */
export interface LockWait {
  /** Called at each try that finds the lock taken. */
  readonly onWait: () => void;
  readonly signal: AbortSignal;
}

const WAIT_SILENTLY: LockWait = { onWait: () => undefined, signal: new AbortController().signal };

export function thisRelease(): Release {
  return { version: VERSION, functions: readFunctionTexts() };
}

/**
 * Brings tables, functions and indexes up to the release in one transaction. Its lock makes other replicas wait. The lock ends with
 * the transaction, even behind a pooler that keeps the connection.
 */
export async function migrate(
  source: DataSource,
  release: Release = thisRelease(),
  wait: LockWait = WAIT_SILENTLY,
): Promise<Migrated> {
  const runner = source.createQueryRunner();
  try {
    await takeLock(runner, MIGRATION_LIMITS[writesOf(source.options)], wait);
    useSchema(source, await fitSchema(runner));
    const migrated = await bringUpIn(source, runner, release);
    await runner.commitTransaction();
    return migrated;
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

/** Leaves the runner in the transaction that has the lock. Holds no connection of a pooler between two tries. */
async function takeLock(runner: QueryRunner, limits: Limits, { onWait, signal }: LockWait): Promise<void> {
  for (;;) {
    await runner.startTransaction('READ COMMITTED');
    if (limits.default_transaction_read_only === 'off') await runner.query('SET TRANSACTION READ WRITE');
    // A replica that is cut off in the middle must not keep the lock, so the transaction has time limits.
    await runner.query(settingQuery(limits, 'transaction')).catch((error: unknown) => {
      throw ofBegin(error);
    });
    const [row] = (await runner.query(TRY_LOCK, [MIGRATION_LOCK])) as { taken: boolean }[];
    if (row?.taken === true) return;
    await runner.rollbackTransaction();
    onWait();
    await sleep(TRY_LOCK_EVERY_MS, undefined, { signal });
  }
}

/**
 * The schema for the tables. Throws where the database has no place for them, or has them in a schema that is not searched.
 */
async function fitSchema(runner: QueryRunner): Promise<string> {
  const [database] = (await runner.query(FITNESS)) as FitnessRow[];
  if (database?.encoding !== 'UTF8') throw new Error('the database must be UTF8');
  const { schema, elsewhere, may_create: mayCreate } = database;
  if (elsewhere !== null)
    throw new Error(
      `the tables are in the schema ${elsewhere}: move them to public, or to one with the user's name`,
    );
  if (schema === null || !mayCreate)
    throw new Error(
      `the user may make no tables in ${schema ?? 'public'}: make a schema with the user's name, or grant CREATE there`,
    );
  return schema;
}

/**
 * Replaces the schema that TypeORM read before the settings were made: behind a pooler, settings hold for one transaction.
 */
function useSchema({ driver }: DataSource, schema: string): void {
  driver.schema = schema;
}

async function bringUpIn(source: DataSource, runner: QueryRunner, release: Release): Promise<Migrated> {
  const executor = new MigrationExecutor(source, runner);
  executor.transaction = 'all';
  const done = await executor.executePendingMigrations();
  const queries: Queries = {
    query: async <Row>(sql: string, values: readonly unknown[] = []) =>
      (await runner.query(sql, [...values])) as Row[],
  };
  const functions = await applyFunctions(queries, release.version, release.functions);
  // Asked first, since CREATE INDEX IF NOT EXISTS would lock the table, too.
  const missing = await queries.query<{ name: string }>(MISSING_INDEXES, [Object.keys(INDEXES)]);
  for (const { name } of missing) await queries.query(`CREATE INDEX ${name} ${INDEXES[name]}`);
  return { migrations: done.map(({ name }) => name), functions };
}

interface FitnessRow {
  readonly encoding: string;
  /** Null where neither `public` nor a schema with the user's name exists, or the user may not use it. */
  readonly schema: string | null;
  /** True also if the tables exist already. */
  readonly may_create: boolean;
  /** A schema with our tables, other than the present one, which has none. */
  readonly elsewhere: string | null;
}

const FITNESS = `
  SELECT getdatabaseencoding() AS encoding, current_schema() AS schema,
    to_regclass('paybell_migration') IS NOT NULL OR has_schema_privilege(current_schema(), 'CREATE') AS may_create, (
    SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname = 'paybell_migration' AND to_regclass('paybell_migration') IS NULL LIMIT 1) AS elsewhere`;

const MISSING_INDEXES = `SELECT name FROM unnest($1::text[]) name WHERE to_regclass(name) IS NULL`;

const TRY_LOCK = `SELECT pg_try_advisory_xact_lock($1) AS taken`;
