import { once } from 'node:events';
import type { Socket } from 'node:net';

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
/** Connection, login, resource, shutdown and system classes of SQLSTATE: the statement is not at fault. */
const CONNECTION_STATES = /^(08|28|53|57P|58)/;
/** A server that was demoted takes no writes; the connections to it lead to the wrong one for good. */
const READ_ONLY = '25006';
/** It is not there, as while it is restored, or closed to connections. */
const CLOSED = new Set(['3D000', '55000']);
/** statement_timeout and lock_timeout: somebody else is in the way, for now. */
const IN_THE_WAY = new Set(['57014', '55P03']);
/** The client's own time-out: the server has not said a word. */
const DEAD_CONNECTION = 'Query read timeout';
const DEADLOCK = '40P01';
const MAX_TRANSACTION_ATTEMPTS = 3;
const CONNECTION_WORDS =
  /Query read timeout|Connection terminated|timeout exceeded when trying to connect|not queryable|is not connected|not established|connection timeout|Driver not Connected/i;

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
        if (messageOf(error) === DEAD_CONNECTION) await dropConnection(runner);
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
      if (isDead(error)) await dropConnection(runner);
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

async function rowsOf<Row>(runner: QueryRunner, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const result = await runner.query(sql, parameters as unknown[], true);
  return result.records as Row[];
}

function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  if (CONNECTION_ERRORS.has(code) || CONNECTION_STATES.test(code) || IN_THE_WAY.has(code)) return true;
  if (code === READ_ONLY || CLOSED.has(code)) return true;
  return CONNECTION_WORDS.test(messageOf(error));
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function messageOf(error: unknown): string {
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : '';
}

function isDead(error: unknown): boolean {
  if (!(error instanceof StoreUnavailable)) return false;
  return messageOf(error.cause) === DEAD_CONNECTION || codeOf(error.cause) === READ_ONLY;
}

/** Settles once the pool can know of it: whoever waits for a connection would be given this one. */
async function dropConnection(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as { connection?: { stream?: Socket } };
  const stream = client.connection?.stream;
  if (stream === undefined || stream.destroyed) return;
  const closed = once(stream, 'close');
  stream.destroy();
  await closed;
}
