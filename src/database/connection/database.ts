import { once } from 'node:events';
import type { Socket } from 'node:net';

import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';

import { StoreUnavailable } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';
import { codeOf, isConnectionError, isDeadConnection, isLost, READ_ONLY } from './connection-errors.ts';

const DEADLOCK = '40P01';
const MAX_TRANSACTION_ATTEMPTS = 3;
const IS_READ_ONLY = `SELECT current_setting('transaction_read_only')::boolean AS is_read_only`;

/** The way to PostgreSQL for hot statements. A lost connection is StoreUnavailable; a faulty statement stays what it is. */
@Injectable()
export class Database implements Queries {
  private isOpen = false;

  constructor(private readonly dataSource: DataSource) {}

  /** Lets statements through: the schema is current. */
  open(): void {
    this.isOpen = true;
  }

  /** For the plain reads and writes of single rows. */
  get manager(): EntityManager {
    if (!this.isOpen) throw new StoreUnavailable();
    return this.dataSource.manager;
  }

  async query<Row>(sql: string, parameters: readonly unknown[] = [], withinMs?: number): Promise<Row[]> {
    const rows = this.withRunner((runner) => rowsOf<Row>(runner, sql, parameters));
    return withinMs === undefined ? rows : within(withinMs, rows);
  }

  /** Throws StoreUnavailable unless the database takes writes: a server that was demoted answers every read. */
  async check(): Promise<void> {
    await this.withRunner(async (runner) => {
      const [row] = await rowsOf<{ is_read_only: boolean }>(runner, IS_READ_ONLY, []);
      if (row?.is_read_only !== false)
        throw Object.assign(new Error('The database takes no writes.'), { code: READ_ONLY });
    });
  }

  /**
   * One transaction, READ COMMITTED: committed when `work` returns, rolled back when it throws. Run again after a
   * deadlock.
   */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.withDeadlockRetry(() => this.transact(work));
  }

  /** Runs a transaction, or a statement that is one by itself, again when PostgreSQL ended it to resolve a deadlock. */
  async withDeadlockRetry<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (codeOf(error) !== DEADLOCK || attempt >= MAX_TRANSACTION_ATTEMPTS) throw error;
      }
    }
  }

  private async transact<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.withRunner(async (runner) => {
      await runner.query('BEGIN');
      try {
        const result = await work({ query: (sql, parameters = []) => rowsOf(runner, sql, parameters) });
        await runner.query('COMMIT');
        return result;
      } catch (error) {
        // None may go back to the pool with its transaction open; a dead one would only hang again.
        if (isDeadConnection(error)) await dropConnection(runner);
        else await runner.query('ROLLBACK').catch(() => dropConnection(runner));
        throw error;
      }
    });
  }

  private async withRunner<Result>(work: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
    if (!this.isOpen) throw new StoreUnavailable();
    const runner = this.dataSource.createQueryRunner();
    try {
      return await guarded(() => work(runner));
    } catch (error) {
      if (error instanceof StoreUnavailable && isLost(error.cause)) await dropConnection(runner);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

/** Lets a lost connection through as StoreUnavailable, for work that goes past Database. */
export async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isConnectionError(error) ? new StoreUnavailable({ cause: error }) : error;
  }
}

/** A statement that is given up runs on until its own time-out. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable()), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function rowsOf<Row>(runner: QueryRunner, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const result = await runner.query(sql, parameters as unknown[], true);
  return result.records as Row[];
}

/** Settles once the pool can know of it. Earlier, the pool would give this connection to the next caller. */
async function dropConnection(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as { connection?: { stream?: Socket } };
  const stream = client.connection?.stream;
  if (stream === undefined || stream.destroyed) return;
  const closed = once(stream, 'close');
  stream.destroy();
  await closed;
}
