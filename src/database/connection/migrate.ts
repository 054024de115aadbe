import { setTimeout as sleep } from 'node:timers/promises';

import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';

import { VERSION } from '../../platform/process/version.ts';
import type { Queries } from '../../ports/queries.ts';
import { applyFunctions, readFunctionTexts, type FunctionText } from './apply-functions.ts';

/** Any number will do, as long as every replica takes the same. */
const MIGRATION_LOCK = 7_226_235_655;
const TRY_LOCK_EVERY_MS = 100;
/** A replica that is cut off in the middle must not keep the lock. */
const IDLE_TIMEOUT_MS = 20_000;

/** A release and the functions that it brings. */
export interface Release {
  readonly version: string;
  readonly functions: readonly FunctionText[];
}

/** What a migration has changed. */
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
 * Brings tables, then functions, up to the release, in one transaction. Its lock lets one replica do so while the others wait,
 * and goes with the transaction, also behind a pooler that keeps the connection.
 */
export async function migrate(
  source: DataSource,
  release: Release = thisRelease(),
  wait: LockWait = WAIT_SILENTLY,
): Promise<Migrated> {
  const runner = source.createQueryRunner();
  try {
    await takeLock(runner, wait);
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

/** Leaves the runner in the transaction that has the lock. No connection of a pooler is held between two tries. */
async function takeLock(runner: QueryRunner, { onWait, signal }: LockWait): Promise<void> {
  for (;;) {
    await runner.startTransaction();
    await runner.query(`SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`);
    const [row] = (await runner.query(TRY_LOCK, [MIGRATION_LOCK])) as { taken: boolean }[];
    if (row?.taken === true) return;
    await runner.rollbackTransaction();
    onWait();
    await sleep(TRY_LOCK_EVERY_MS, undefined, { signal });
  }
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
  return { migrations: done.map(({ name }) => name), functions };
}

const TRY_LOCK = `SELECT pg_try_advisory_xact_lock($1) AS taken`;
