import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { DatabaseChecks } from '../../src/database/gate/database-checks.ts';
import { Database } from '../../src/database/connection/database.ts';
import { HistoryWatch } from '../../src/database/history/history-watch.ts';
import { RecordSettings } from '../../src/database/events/record-settings.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { ThisReplica } from '../../src/ports/replicas.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { createEmptyDatabase, onServer, queryAt } from '../support/database.ts';
import { URGENCY_RULES } from '../support/stores.ts';

const RULES = new RecordSettings(900_000, URGENCY_RULES, 'paybell');
const POSTGRES_PORT = 5432;

/** The reason, and the remedy. */
const GUARDED =
  /^25006 default_transaction_read_only is on, .*: free space and set it off, or set DATABASE_READ_WRITE=force$/;

const BACKEND = 'SELECT pg_backend_pid() AS pid';

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
let source: DataSource;
let database: Database;

beforeAll(async () => {
  empty = await createEmptyDatabase();
  await empty.query('CREATE TABLE thing (id int)');
});
afterAll(() => empty.drop());

beforeEach(async () => {
  // There is only one connection: the next statement meets the state in which the last one left it.
  source = await new DataSource(dataSourceOptions(empty.directUrl, 1)).initialize();
  database = new Database(source);
  database.open();
});
afterEach(() => source.destroy());

function asItIs(): Promise<DataSource> {
  return new DataSource(dataSourceOptions(empty.directUrl, 1)).initialize();
}

/** A pooler names a process of its own, which the server does not have. */
async function behindPooler(): Promise<DataSource> {
  const named = jest.spyOn(pg.Client.prototype as unknown as KeyReader, '_handleBackendKeyData');
  named.mockReturnValue();
  const connected = await asItIs();
  // A connection that the pool opens later has settings of its own again.
  await connected.query('SELECT 1');
  named.mockRestore();
  return connected;
}

/** The driver's callback when the server names its process. */
interface KeyReader {
  _handleBackendKeyData(message: unknown): void;
}

describe("the server's limits", () => {
  it('are without effect on what a statement does: its own error, its commit, the next one', async () => {
    await expect(database.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await database.query('INSERT INTO thing VALUES (7)');
    expect(await queryAt(empty.directUrl, 'DELETE FROM thing WHERE id = 7 RETURNING id')).toEqual([
      { id: 7 },
    ]);
  });
});

describe('a database that was away', () => {
  const goAway = 'SELECT pg_terminate_backend(pg_backend_pid())';

  it('is asked about again when it goes away while it is asked about', async () => {
    const asked: number[] = [];
    database.onDoubt(async (doubt) => {
      if (asked.push(doubt) === 1)
        await expect(database.ask(goAway, [])).rejects.toBeInstanceOf(StoreUnavailable);
    });
    await expect(database.query(goAway)).rejects.toBeInstanceOf(StoreUnavailable);
    await database.query(BACKEND);
    await database.query(BACKEND);
    expect(asked).toEqual([1, 2]);
  });
});

async function backend(): Promise<number | undefined> {
  return (await database.query<{ pid: number }>(BACKEND))[0]?.pid;
}

describe('a statement that PostgreSQL ends for a reason of its own', () => {
  it.each([
    ['a time-out', "SET LOCAL statement_timeout = '20ms'", 'SELECT pg_sleep(5)'],
    ['a full disk', 'SELECT 1', `DO $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$`],
  ])('leaves no open transaction to the next one: %s', async (_name, before, statement) => {
    const work = database.transaction(async (queries) => {
      await queries.query(before);
      await queries.query('INSERT INTO thing VALUES (1)');
      await queries.query(statement);
    });
    await expect(work).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await database.query('SELECT id FROM thing')).toEqual([]);
  });

  it('takes nobody along who waits for the connection', async () => {
    const work = database.transaction(async (queries) => {
      await queries.query("SET LOCAL statement_timeout = '20ms'");
      await queries.query('SELECT pg_sleep(5)');
    });
    const waiting = Array.from({ length: 5 }, () => backend());
    await expect(work).rejects.toBeInstanceOf(StoreUnavailable);
    expect(new Set(await Promise.all(waiting)).size).toBe(1);
  });

  it.each(['28P01', '3D000', '55000', '58030', '57P03', '53300', '25006'])(
    'is a database that is away, and no fault of the statement: %s',
    async (code) => {
      const raised = `DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`;
      await expect(database.query(raised)).rejects.toBeInstanceOf(StoreUnavailable);
    },
  );

  it.each(['22001', '23505', '42P01', '42883'])(
    'stays what it is where the statement is at fault: %s',
    async (code) => {
      const raised = `DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`;
      await expect(database.query(raised)).rejects.not.toBeInstanceOf(StoreUnavailable);
    },
  );
});

/** The callback of Node's streams for each write to the socket. */
interface Written {
  _write(...sent: unknown[]): void;
  _writev(...sent: unknown[]): void;
}

function poolOf(connected: DataSource): pg.Pool {
  return (connected.driver as unknown as { master: pg.Pool }).master;
}

it.each([
  ["on the server's own connection", asItIs],
  ["on a pooler's", behindPooler],
])('a statement goes out with its transaction in one write: %s', async (_name, open) => {
  const connected = await open();
  const through = new Database(connected);
  through.open();
  const client = await poolOf(connected).connect();
  client.release();
  const { stream } = (client as unknown as { connection: { stream: Written } }).connection;
  const writes = (['_write', '_writev'] as const).map((name) => jest.spyOn(stream, name));
  for (let sent = 0; sent < 20; sent += 1) await through.query('SELECT $1::int', [sent]);
  expect(writes.flatMap(({ mock }) => mock.calls)).toHaveLength(20);
  await connected.destroy();
});

it.each([
  { limit: 1, used: 1 },
  { limit: 2, used: 2 },
  // The pool keeps the fourth connection for the silence watch.
  { limit: 4, used: 3 },
])(
  'a server that allows $limit connections serves all callers by $used, and the refusal is remembered',
  async ({ limit, used }) => {
    const role = `${empty.name}_few${limit}`;
    await onServer(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' CONNECTION LIMIT ${limit}`);
    const url = new URL(empty.directUrl);
    [url.username, url.password] = [role, role];
    const few = await new DataSource(dataSourceOptions(url.href, 8)).initialize();
    const through = new Database(few);
    through.open();
    const asleep = `${BACKEND}, pg_sleep(0.05)`;
    const all = (): Promise<{ pid: number }[][]> =>
      Promise.all(Array.from({ length: 40 }, () => through.query<{ pid: number }>(asleep)));
    expect(await all()).toHaveLength(40);
    expect(new Set((await all()).flat().map(({ pid }) => pid)).size).toBe(used);
    expect(through.refusals.present).toMatchObject({ detail: '53300 too many connections' });
    await few.destroy();
    await onServer(`DROP ROLE ${role}`);
  },
);

it('the pool keeps its connections while another program takes the place that it left', async () => {
  const role = `${empty.name}_crowded`;
  await onServer(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' CONNECTION LIMIT 4`);
  const url = new URL(empty.directUrl);
  [url.username, url.password] = [role, role];
  const crowded = await new DataSource(dataSourceOptions(url.href, 8)).initialize();
  const through = new Database(crowded);
  through.open();
  const pids = async (): Promise<number> => {
    const asked = Array.from({ length: 40 }, () =>
      through.query<{ pid: number }>(`${BACKEND}, pg_sleep(0.05)`),
    );
    return new Set((await Promise.all(asked)).flat().map(({ pid }) => pid)).size;
  };
  await pids();
  expect(await pids()).toBe(3);
  const other = new pg.Client({ connectionString: url.href });
  await other.connect();
  const { master: pool } = crowded.driver as unknown as { master: { connectBeside(): Promise<unknown> } };
  for (let asked = 0; asked < 2; asked += 1)
    await expect(pool.connectBeside()).rejects.toMatchObject({ code: '53300' });
  expect(await pids()).toBe(3);
  await other.end();
  await crowded.destroy();
  await onServer(`DROP ROLE ${role}`);
});

describe('behind a proxy', () => {
  let proxy: TcpProxy;
  let far: DataSource;
  let behind: Database;

  beforeEach(async () => {
    proxy = await TcpProxy.inFrontOf(empty.directUrl, POSTGRES_PORT);
    far = await new DataSource(dataSourceOptions(proxy.through(empty.directUrl), 1)).initialize();
    behind = new Database(far);
    behind.open();
  });
  afterEach(async () => {
    await far.destroy();
    await proxy.close();
  });

  it('a connection that ends between two statements of a transaction is a database that is away, and nothing of it is committed', async () => {
    const work = behind.transaction(async (queries) => {
      await queries.query('INSERT INTO thing VALUES (3)');
      const released = once(poolOf(far), 'remove');
      proxy.resetAll();
      await released;
      await queries.query('INSERT INTO thing VALUES (4)');
    });
    await expect(work).rejects.toMatchObject({
      code: 'database_unavailable',
      message: 'The database is not available: connection lost.',
    });
    expect(await behind.query('SELECT id FROM thing WHERE id IN (3, 4)')).toEqual([]);
  });
});

describe('a server that has become a read-only one', () => {
  it('is away for writes, and its connections are not kept', async () => {
    const first = await backend();
    await database.query('SET default_transaction_read_only = on');
    const write = (): Promise<unknown> => database.query('INSERT INTO thing VALUES (2)');
    const refused = write();
    const waiting = [backend(), backend()];
    await expect(refused).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await Promise.all(waiting)).not.toContain(first);
    expect(await backend()).not.toBe(first);
    await write();
    expect(await queryAt(empty.directUrl, 'SELECT id FROM thing')).toEqual([{ id: 2 }]);
  });

  it('is found by the check that readiness asks, which finds the way to the one that takes writes', async () => {
    const checks = new DatabaseChecks(
      database,
      new HistoryWatch(database, RULES, new ThisReplica(randomUUID(), [], 'test', {})),
    );
    const first = await backend();
    await database.query('SET default_transaction_read_only = on');
    expect(await checks.read()).toEqual({ check: 'answer', detail: expect.stringMatching(GUARDED) });
    // The next connection leads to a server that takes writes, whose schema is compared.
    expect(await checks.read()).toMatchObject({ check: 'schema' });
    expect(await backend()).not.toBe(first);
  });
});
