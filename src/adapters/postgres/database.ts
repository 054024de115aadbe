import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';

import { StoreUnavailable } from '../../ports/payments.ts';

/** Runs statements; rows come back as the driver reads them (bigint as string, timestamptz as Date). */
export interface Queries {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
/** Connection, shutdown and resource classes of SQLSTATE: the statement is not at fault. */
const CONNECTION_STATES = /^(08|53|57P)/;
const DEADLOCK = '40P01';
const MAX_TRANSACTION_ATTEMPTS = 3;
const CONNECTION_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|is not connected|not established|connection timeout|Driver not Connected/i;

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

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.withRunner((runner) => rowsOf<Row>(runner, sql, parameters));
  }

  /**
   * One transaction, READ COMMITTED: committed when `work` returns, rolled back when it throws. Run again when
   * PostgreSQL ended it to resolve a deadlock.
   */
  async transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.transact(work);
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
        // After a lost connection the rollback fails too: the server has done it by itself.
        await runner.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  private async withRunner<Result>(work: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
    if (!this.isOpen) throw new StoreUnavailable();
    const runner = this.dataSource.createQueryRunner();
    try {
      return await guarded(() => work(runner));
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
    throw isConnectionError(error) ? new StoreUnavailable() : error;
  }
}

async function rowsOf<Row>(runner: QueryRunner, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const result = await runner.query(sql, parameters as unknown[], true);
  return result.records as Row[];
}

function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  if (CONNECTION_ERRORS.has(code) || CONNECTION_STATES.test(code)) return true;
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' && CONNECTION_WORDS.test(message);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
