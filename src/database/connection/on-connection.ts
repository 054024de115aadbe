import { once } from 'node:events';
import type { Socket } from 'node:net';

import type { Client, QueryConfig } from 'pg';
import type { QueryRunner } from 'typeorm';

import type { Queries } from '../../ports/queries.ts';
import { isDeadConnection, ofBegin } from './connection-errors.ts';
import { nameOfPrepared } from './prepared.ts';
import { beginOn, isBounded } from './server-limits.ts';

/** The part of the driver's client that its types leave out: the socket. */
interface Wire {
  readonly connection?: { readonly stream?: Socket };
}

/** Runs one statement on this connection. */
export async function rowsOf<Row>(
  runner: QueryRunner,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const result = await runner.query(sql, parameters as unknown[], true);
  return result.records as Row[];
}

/** Runs a transaction: commits when `work` returns, rolls back when it throws. */
export async function inTransaction<Result>(
  runner: QueryRunner,
  work: () => Promise<Result>,
): Promise<Result> {
  const begin = beginOn((await runner.connect()) as Client);
  await runner.query(begin).catch((error: unknown) => {
    throw ofBegin(error);
  });
  // While a transaction is marked as active, TypeORM locks rows in it and begins none of its own.
  Object.assign(runner, { isTransactionActive: true });
  try {
    const result = await work();
    await runner.query('COMMIT');
    return result;
  } catch (error) {
    // A connection must not go back to the pool with its transaction open; on a dead one, ROLLBACK would only hang
    // again.
    if (isDeadConnection(error)) await dropConnection(runner);
    else await runner.query('ROLLBACK').catch(() => dropConnection(runner));
    throw error;
  }
}

/** Runs one statement that TypeORM makes, in a transaction of its own. */
export async function inOneStatement<Result>(
  runner: QueryRunner,
  work: () => Promise<Result>,
): Promise<Result> {
  return isBounded((await runner.connect()) as Client) ? work() : inTransaction(runner, work);
}

/**
 * Runs one statement in a transaction of its own. Where a BEGIN is needed, BEGIN, statement and COMMIT go out in one
 * write: the pool's clients pipeline.
 */
export async function inOneTrip<Row>(
  runner: QueryRunner,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const client = (await runner.connect()) as Client & Wire;
  if (isBounded(client)) return (await client.query(statementOf(sql, parameters))).rows as Row[];
  const stream = client.connection?.stream;
  stream?.cork();
  const sent = [
    client.query(beginOn(client)),
    client.query(sql, [...parameters]),
    client.query('COMMIT'),
  ] as const;
  stream?.uncork();
  const [begun, result, ended] = await Promise.allSettled(sent);
  // After an error PostgreSQL skips the rest of the pipeline, and COMMIT rolls back.
  if (begun.status === 'rejected') throw ofBegin(begun.reason);
  for (const each of [result, ended]) if (each.status === 'rejected') throw each.reason as Error;
  return result.status === 'fulfilled' ? (result.value.rows as Row[]) : [];
}

function statementOf(text: string, parameters: readonly unknown[]): QueryConfig {
  const values = [...parameters];
  const name = nameOfPrepared(text);
  return name === undefined ? { text, values } : { name, text, values };
}

/** Statements of one transaction, all on this connection. */
export function queriesOn(runner: QueryRunner): Queries {
  return { query: (sql, parameters = []) => rowsOf(runner, sql, parameters) };
}

/**
 * Resolves once the pool has noticed the closed connection: before, the pool would hand the connection to the next
 * caller. A runner whose connection was refused has no stream to wait for.
 */
export async function dropConnection(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect().catch(() => ({}))) as Wire;
  const stream = client.connection?.stream;
  if (stream === undefined || stream.destroyed) return;
  const closed = once(stream, 'close');
  stream.destroy();
  await closed;
}
