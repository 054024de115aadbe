import { once } from 'node:events';
import type { Socket } from 'node:net';

import type { Client } from 'pg';
import type { QueryRunner } from 'typeorm';

import type { Queries } from '../../ports/queries.ts';
import { isDeadConnection } from './connection-errors.ts';
import { STATEMENT_TIMEOUT_MS } from './data-source-options.ts';

/** A client of the driver, which does not declare its socket. */
interface Wire {
  readonly connection?: { readonly stream?: Socket };
}

/**
 * The server ends a statement, or a transaction left open, after STATEMENT_TIMEOUT_MS. For this transaction alone: a pooler
 * refuses the settings at the start of a connection, and would hand them to its other clients when they are set on one. The
 * client does not cancel instead: PostgreSQL answers a commit that is cancelled while it waits for a standby as done.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`;

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
  await runner.query(BEGIN);
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

/** One statement in a transaction of its own, sent with its BEGIN and COMMIT in one write: the pool's clients pipeline. */
export async function inOneTrip<Row>(
  runner: QueryRunner,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const client = (await runner.connect()) as Client & Wire;
  const stream = client.connection?.stream;
  stream?.cork();
  const sent = [client.query(BEGIN), client.query(sql, [...parameters]), client.query('COMMIT')] as const;
  stream?.uncork();
  const [begun, result, ended] = await Promise.allSettled(sent);
  // After an error PostgreSQL skips what follows, and COMMIT rolls back.
  for (const each of [begun, result, ended]) if (each.status === 'rejected') throw each.reason as Error;
  return result.status === 'fulfilled' ? (result.value.rows as Row[]) : [];
}

/** The statements of a transaction: all on this connection. */
export function queriesOn(runner: QueryRunner): Queries {
  return { query: (sql, parameters = []) => rowsOf(runner, sql, parameters) };
}

/** Settles once the pool can know of it. Earlier, the pool would give this connection to the next caller. */
export async function dropConnection(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as Wire;
  const stream = client.connection?.stream;
  if (stream === undefined || stream.destroyed) return;
  const closed = once(stream, 'close');
  stream.destroy();
  await closed;
}
