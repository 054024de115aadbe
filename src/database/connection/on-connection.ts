import { once } from 'node:events';
import type { Socket } from 'node:net';

import type { Client, QueryConfig } from 'pg';
import type { QueryRunner } from 'typeorm';

import type { Queries } from '../../ports/queries.ts';
import { isDeadConnection, ofBegin } from './connection-errors.ts';
import { nameOfPrepared } from './prepared.ts';
import { beginOn, isBounded } from './server-limits.ts';

/** A client of the driver, which does not declare its socket. */
interface Wire {
  readonly connection?: { readonly stream?: Socket };
}

/** One statement on this connection. */
export async function rowsOf<Row>(
  runner: QueryRunner,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const result = await runner.query(sql, parameters as unknown[], true);
  return result.records as Row[];
}

/** Committed when `work` returns, rolled back when it throws. */
export async function inTransaction<Result>(
  runner: QueryRunner,
  work: () => Promise<Result>,
): Promise<Result> {
  const begin = beginOn((await runner.connect()) as Client);
  await runner.query(begin).catch((error: unknown) => {
    throw ofBegin(error);
  });
  // TypeORM locks rows, and begins no transaction of its own, where it knows of one.
  Object.assign(runner, { isTransactionActive: true });
  try {
    const result = await work();
    await runner.query('COMMIT');
    return result;
  } catch (error) {
    // None may go back to the pool with its transaction open; a dead one would only hang again.
    if (isDeadConnection(error)) await dropConnection(runner);
    else await runner.query('ROLLBACK').catch(() => dropConnection(runner));
    throw error;
  }
}

/** One statement that TypeORM makes, in a transaction of its own. */
export async function inOneStatement<Result>(
  runner: QueryRunner,
  work: () => Promise<Result>,
): Promise<Result> {
  return isBounded((await runner.connect()) as Client) ? work() : inTransaction(runner, work);
}

/**
 * One statement in a transaction of its own. Where that has to be begun, BEGIN and COMMIT go out with it in one write: the
 * pool's clients pipeline.
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
  // After an error PostgreSQL skips what follows, and COMMIT rolls back.
  if (begun.status === 'rejected') throw ofBegin(begun.reason);
  for (const each of [result, ended]) if (each.status === 'rejected') throw each.reason as Error;
  return result.status === 'fulfilled' ? (result.value.rows as Row[]) : [];
}

function statementOf(text: string, parameters: readonly unknown[]): QueryConfig {
  const values = [...parameters];
  const name = nameOfPrepared(text);
  return name === undefined ? { text, values } : { name, text, values };
}

/** The statements of a transaction: all on this connection. */
export function queriesOn(runner: QueryRunner): Queries {
  return { query: (sql, parameters = []) => rowsOf(runner, sql, parameters) };
}

/**
 * Settles once the pool can know of it. Earlier, the pool would give this connection to the next caller. A runner whose
 * connection was refused has none.
 */
export async function dropConnection(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect().catch(() => ({}))) as Wire;
  const stream = client.connection?.stream;
  if (stream === undefined || stream.destroyed) return;
  const closed = once(stream, 'close');
  stream.destroy();
  await closed;
}
