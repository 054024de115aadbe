import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { Database } from '../../src/database/connection/database.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { createEmptyDatabase, onServer } from '../support/database.ts';

const POSTGRES_PORT = 5432;
/**
 * Three seconds of silence, half a second between two checks, and the delay of a busy machine; without the watch it takes 25
 * s.
 */
const FOUND_WITHIN_MS = 15_000;
/** Long enough for the watch to ask the server several times without an answer. */
const AWAY_MS = 8_000;
/** Longer than the watch waits, and shorter than the server's limit. */
const SLOW_S = 10;
const LIMIT = 3;

const BACKEND = 'SELECT pg_backend_pid() AS pid';

/** A pool of its own, through a proxy of its own. */
interface World {
  readonly proxy: TcpProxy;
  readonly source: DataSource;
  readonly database: Database;
}

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
const worlds: World[] = [];
const roles: string[] = [];

async function open(url = empty.directUrl, poolSize = 3): Promise<World> {
  const proxy = await TcpProxy.inFrontOf(url, POSTGRES_PORT);
  const source = await new DataSource(dataSourceOptions(proxy.through(url), poolSize)).initialize();
  const world = { proxy, source, database: new Database(source) };
  world.database.open();
  worlds.push(world);
  return world;
}

/** The server processes of the pool's connections, once all have answered and are idle. */
async function pidsOf({ database }: World, count = 3): Promise<number[]> {
  const asleep = `${BACKEND}, pg_sleep(0.2)`;
  const rows = await Promise.all(
    Array.from({ length: count }, () => database.query<{ pid: number }>(asleep)),
  );
  return [...new Set(rows.flat().map(({ pid }) => pid))];
}

async function refused(work: Promise<unknown>): Promise<void> {
  const from = performance.now();
  await expect(work).rejects.toBeInstanceOf(StoreUnavailable);
  expect(performance.now() - from).toBeLessThan(FOUND_WITHIN_MS);
}

/** Waits until these server processes have ended: when a statement fails, the signal to them was just sent. */
async function over(pids: readonly number[]): Promise<void> {
  const left = 'SELECT 1 FROM pg_stat_activity WHERE pid = ANY ($1)';
  await waitFor(async () => (await empty.query(left, [pids])).length === 0);
}

async function statement(): Promise<void> {
  const world = await open();
  const pids = await pidsOf(world);
  expect(pids).toHaveLength(3);
  world.proxy.abandonAll();
  await refused(world.database.query('SELECT 1'));
  await over(pids);
  await world.database.query('SELECT 1');
}

async function transaction(): Promise<void> {
  const world = await open();
  const work = world.database.transaction(async (queries) => {
    await queries.query('UPDATE thing SET n = n + 1 WHERE id = 1');
    world.proxy.abandonAll();
    await queries.query('UPDATE thing SET n = n + 1 WHERE id = 2');
  });
  await refused(work);
  // The row is not locked, and neither change was committed.
  await world.database.query('UPDATE thing SET n = n + 1 WHERE id = 1');
  expect(await empty.query('SELECT n FROM thing WHERE id <= 2 ORDER BY id')).toEqual([{ n: 1 }, { n: 0 }]);
}

/** Brings the pool to the role's limit of `LIMIT` connections, all of which are open. */
async function atLimit(): Promise<void> {
  const world = await open(await urlOfRole('few', `CONNECTION LIMIT ${LIMIT}`), 2 * LIMIT);
  expect(await pidsOf(world, 4 * LIMIT)).toHaveLength(LIMIT);
  world.proxy.abandonAll();
  await refused(world.database.query('SELECT 1'));
  await world.database.query('SELECT 1');
}

async function urlOfRole(name: string, options = ''): Promise<string> {
  const role = `${empty.name}_${name}`;
  await onServer(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' ${options}`);
  roles.push(role);
  const url = new URL(empty.directUrl);
  [url.username, url.password] = [role, role];
  return url.href;
}

/** A pool behind a pooler, which names a process of its own. The role's other sessions are this pool's only. */
async function behindPooler(name: string): Promise<World> {
  const url = await urlOfRole(name);
  const prototype = pg.Client.prototype as unknown as { _handleBackendKeyData(message: unknown): void };
  const named = jest.spyOn(prototype, '_handleBackendKeyData').mockReturnValue();
  const world = await open(url, 1);
  named.mockRestore();
  return world;
}

async function pooled(world: World): Promise<void> {
  world.proxy.abandonAll();
  await refused(world.database.query('SELECT 1'));
  await world.database.query('SELECT 1');
}

async function busyPooler({ database }: World): Promise<void> {
  await database.query(`SELECT pg_sleep(${SLOW_S})`);
}

async function slow(): Promise<void> {
  const { database } = await open();
  const holder = new pg.Client({ connectionString: empty.directUrl });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('UPDATE thing SET n = 7 WHERE id = 3');
  const work = [
    database.query(`SELECT pg_sleep(${SLOW_S})`),
    database.query('UPDATE thing SET n = 8 WHERE id = 3'),
  ];
  await sleep(SLOW_S * 1_000);
  await holder.query('COMMIT');
  await Promise.all(work);
  await holder.end();
}

async function away(): Promise<void> {
  const world = await open();
  const pids = await pidsOf(world);
  world.proxy.freeze();
  const answer = world.database.query<{ pid: number }>(BACKEND);
  await sleep(AWAY_MS);
  world.proxy.thaw();
  expect(pids).toContain((await answer)[0]?.pid);
}

/** All scenes run at the same time, since each mostly waits. */
let played: ReadonlyMap<string, Promise<void>>;

beforeAll(async () => {
  empty = await createEmptyDatabase();
  await empty.query('CREATE TABLE thing AS SELECT id, 0 AS n FROM generate_series(1, 3) id');
  const [silent, busy] = [await behindPooler('silent'), await behindPooler('busy')];
  const plays = {
    statement,
    transaction,
    slow,
    away,
    pooled: () => pooled(silent),
    busyPooler: () => busyPooler(busy),
    atLimit,
  };
  played = new Map(Object.entries(plays).map(([name, play]) => [name, play()]));
  await Promise.allSettled(played.values());
});
afterAll(async () => {
  for (const { source, proxy } of worlds) {
    await source.destroy();
    await proxy.close();
  }
  await empty.drop();
  for (const role of roles) await onServer(`DROP ROLE ${role}`);
});

describe('connections that swallow what is sent, while a new one is answered', () => {
  it.each([
    ['statement', 'end with the statement that waits, the idle ones too, on the server as well'],
    ['transaction', 'take the locks of their transaction along, of which nothing is committed'],
    ['atLimit', 'end where the server allows no more connections'],
    ['pooled', "end when they are a pooler's, and nothing of the role runs"],
  ])('%s: %s', (name) => played.get(name));
});

describe('a statement that waits', () => {
  it.each([
    ['slow', 'is left alone for as long as it runs, or waits for a lock'],
    ['busyPooler', 'is left alone behind a pooler while a statement of the role runs as long'],
    ['away', 'is left alone while a new connection is not answered either'],
  ])('%s: %s', (name) => played.get(name));
});
