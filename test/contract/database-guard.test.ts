import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';

import {
  dataSourceOptions,
  MigrationOptions,
  migrationOptions,
} from '../../src/database/connection/data-source-options.ts';
import { Database } from '../../src/database/connection/database.ts';
import type { Writes } from '../../src/database/connection/server-limits.ts';
import { RecordSettings } from '../../src/database/events/record-settings.ts';
import { DatabaseChecks } from '../../src/database/gate/database-checks.ts';
import { DatabaseGate } from '../../src/database/gate/database-gate.ts';
import { HistoryWatch } from '../../src/database/history/history-watch.ts';
import { DestinationKinds } from '../../src/ports/destinations.ts';
import { ThisReplica } from '../../src/ports/replicas.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { createTestDatabase, onServer, type TestDatabase } from '../support/database.ts';
import { URGENCY_RULES } from '../support/stores.ts';

const SLOW_MS = 60_000;
const WITHIN = { everyMs: 100 };
const REASON =
  '25006 default_transaction_read_only is on, as a server sets it when its disk is nearly full: free space and set it off, or set DATABASE_READ_WRITE=force';

let db: TestDatabase;
let role: string;
let url: string;

beforeAll(async () => {
  db = await createTestDatabase();
  role = `${db.name}_guarded`;
  await onServer(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD '${role}'`);
  url = Object.assign(new URL(db.directUrl), { username: role, password: role }).href;
});
beforeEach(async () => {
  for (const whose of [`DATABASE ${db.name}`, `ROLE ${role}`, `ROLE ${role} IN DATABASE ${db.name}`])
    await onServer(`ALTER ${whose} RESET default_transaction_read_only`);
});
afterAll(async () => {
  await db.drop();
  await onServer(`DROP ROLE ${role}`);
});

function guard(whose: string, value: string): Promise<unknown> {
  const named = whose.replace('DATABASE', `DATABASE ${db.name}`).replace('ROLE', `ROLE ${role}`);
  return onServer(`ALTER ${named} SET default_transaction_read_only TO ${value}`);
}

function historyOf(database: Database): HistoryWatch {
  const rules = new RecordSettings(900_000, URGENCY_RULES, 'paybell');
  return new HistoryWatch(database, rules, new ThisReplica(randomUUID(), [], 'test', {}));
}

async function openSource(writes?: Writes): Promise<{ source: DataSource; database: Database }> {
  const source = await new DataSource(dataSourceOptions(url, 1, writes)).initialize();
  const database = new Database(source);
  database.open();
  return { source, database };
}

function gateOn(writes?: Writes): { gate: DatabaseGate; database: Database; close: () => Promise<void> } {
  const source = new DataSource(dataSourceOptions(url, 2, writes));
  const database = new Database(source);
  const migration = new MigrationOptions(migrationOptions(url, writes));
  const gate = new DatabaseGate(source, database, new DestinationKinds([]), historyOf(database), migration);
  const close = async (): Promise<void> => {
    await gate.beforeApplicationShutdown();
    if (source.isInitialized) await source.destroy();
  };
  return { gate, database, close };
}

const WRITE = `UPDATE payment SET quote_id = quote_id WHERE false`;

describe('a database that is guarded by default_transaction_read_only', () => {
  it.each([
    ['a session that is older than the guard', [['DATABASE', 'on']], true],
    ['a role', [['ROLE', 'true']], true],
    ['a role in this database', [['ROLE IN DATABASE', '1']], true],
    [
      'a database but for the role',
      [
        ['DATABASE', 'on'],
        ['ROLE', 'off'],
      ],
      false,
    ],
    [
      'a role but for this database',
      [
        ['ROLE', 'on'],
        ['ROLE IN DATABASE', 'off'],
      ],
      false,
    ],
    ['nothing', [], false],
  ] as const)('is found by the settings of %s', async (_whose, settings, isGuarded) => {
    const { source, database } = await openSource();
    for (const [whose, value] of settings) await guard(whose, value);
    const problem = await new DatabaseChecks(database, historyOf(database)).guard();
    expect(problem).toEqual(isGuarded ? { check: 'write', detail: REASON } : null);
    await source.destroy();
  });

  it('refuses a connection, which is a database that is away to each statement', async () => {
    const { source, database } = await openSource();
    await database.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    await guard('ROLE', 'on');
    const refusal = (): Promise<unknown> => database.query(WRITE).catch(({ message }: Error) => message);
    // The error of the former connection may come first, and may be another one.
    await waitFor(async () => (await refusal()) === `The database is not available: ${REASON}.`, WITHIN);
    await source.destroy();
  });

  it(
    'while the service runs: it is not ready, sends no statement on connections that could still write, and recovers',
    async () => {
      const { gate, database, close } = gateOn();
      await gate.onApplicationBootstrap();
      expect(await gate.problem()).toBeNull();
      const old = await database.query('SELECT 1');
      await guard('DATABASE', 'on');
      await waitFor(async () => (await gate.problem())?.detail === REASON, WITHIN);
      await expect(database.query(WRITE)).rejects.toThrow('default_transaction_read_only is on');
      await guard('DATABASE', 'off');
      await waitFor(async () => (await gate.problem()) === null, WITHIN);
      expect([await database.query(WRITE), old]).toEqual([[], [expect.anything()]]);
      await close();
    },
    SLOW_MS,
  );

  it(
    'at the start: it is not ready and says why, and is once the guard is gone',
    async () => {
      await guard('ROLE', 'on');
      const { gate, close } = gateOn();
      await gate.onApplicationBootstrap();
      expect(await gate.problem()).toEqual({ check: 'start', detail: REASON });
      await guard('ROLE', 'off');
      await waitFor(async () => (await gate.problem()) === null, WITHIN);
      await close();
    },
    SLOW_MS,
  );

  it('with DATABASE_READ_WRITE=force: it is written to, on an own connection, on a pooler’s, and by migrations', async () => {
    await guard('DATABASE', 'on');
    const { gate, database, close } = gateOn('force');
    await gate.onApplicationBootstrap();
    expect(await gate.problem()).toBeNull();
    await database.query(WRITE);
    await close();
    const prototype = pg.Client.prototype as unknown as { _handleBackendKeyData(message: unknown): void };
    const named = jest.spyOn(prototype, '_handleBackendKeyData').mockReturnValue();
    const { source, database: pooled } = await openSource('force');
    named.mockRestore();
    await pooled.query(WRITE);
    await pooled.transaction((queries) => queries.query(WRITE));
    await source.destroy();
  });
});
