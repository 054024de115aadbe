import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';

import {
  dataSourceOptions,
  MigrationOptions,
  migrationOptions,
} from '../../src/database/connection/data-source-options.ts';
import { Database } from '../../src/database/connection/database.ts';
import { ENTITIES } from '../../src/database/entities/entities.ts';
import { ApiKeyEntity } from '../../src/database/entities/api-key.entity.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { DatabaseGate } from '../../src/database/gate/database-gate.ts';
import { HistoryWatch } from '../../src/database/history/history-watch.ts';
import { RecordSettings } from '../../src/database/events/record-settings.ts';
import { DestinationKinds } from '../../src/ports/destinations.ts';
import type { DatabaseHealth } from '../../src/ports/readiness.ts';
import { ThisReplica } from '../../src/ports/replicas.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { URGENCY_RULES } from '../support/stores.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

let db: TestDatabase;
let source: DataSource;
let database: Database;

beforeAll(async () => {
  db = await createTestDatabase();
  source = await openDataSource(db);
  database = new Database(source);
  database.open();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => db.drop());

const COLUMNS = `
  SELECT column_name AS name, CASE data_type WHEN 'ARRAY' THEN ltrim(udt_name, '_') || '[]' ELSE data_type END AS type,
    is_nullable = 'YES' AS "isNullable"
  FROM information_schema.columns WHERE table_name = $1 ORDER BY 1`;

/** Destinations of other kinds have neither a URL nor secrets. */
const ONLY_OF_ENDPOINTS = new Set(['destination.url', 'destination.secrets']);

describe('the entities', () => {
  it.each(ENTITIES.map((entity) => ({ entity, name: entity.name })))(
    'fit their tables: $name',
    async ({ entity }) => {
      const { tableName, columns } = source.getMetadata(entity);
      const mapped = columns.map((column) => ({
        name: column.databaseName,
        type: `${source.driver.normalizeType(column)}${column.isArray ? '[]' : ''}`,
        isNullable: column.isNullable || ONLY_OF_ENDPOINTS.has(`${tableName}.${column.databaseName}`),
      }));
      const stored = await db.query<{ name: string }>(COLUMNS, [tableName]);
      expect(mapped.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(stored);
    },
  );
});

describe('a statement of a repository', () => {
  function namesOn(through: Database): Promise<string[]> {
    const keys = source.getRepository(ApiKeyEntity);
    return through.withRepository(keys, async (present) => (await present.find()).map(({ name }) => name));
  }

  it('is refused while the database is closed', async () => {
    const closed = new Database(source);
    await expect(namesOn(closed)).rejects.toThrow(StoreUnavailable);
    closed.open();
    expect(await namesOn(closed)).toEqual([]);
  });

  it("goes out alone on a connection that is the server's own", async () => {
    await namesOn(database);
    const sent = jest.spyOn(pg.Client.prototype, 'query');
    await namesOn(database);
    expect(sent.mock.calls.map(([sql]) => sql.split(' ')[0])).toEqual(['SELECT']);
  });

  it("is in a transaction that sets the limits on a connection that is a pooler's", async () => {
    const reader = pg.Client.prototype as unknown as { _handleBackendKeyData: (message: unknown) => void };
    jest.spyOn(reader, '_handleBackendKeyData').mockReturnValue();
    const pooled = await new DataSource({
      ...dataSourceOptions(db.directUrl, 1),
      entities: ENTITIES,
    }).initialize();
    const through = new Database(pooled);
    through.open();
    await namesOn(through);
    const sent = jest.spyOn(pg.Client.prototype, 'query');
    await namesOn(through);
    expect(sent.mock.calls.map(([sql]) => sql.split(/[ ;]/)[0])).toEqual(['BEGIN', 'SELECT', 'COMMIT']);
    await pooled.destroy();
  });

  it('shares a transaction with SQL, rolls back with it, and locks rows there', async () => {
    const lock = { mode: 'pessimistic_write' } as const;
    const failing = database.transaction(async (queries, manager) => {
      const keys = manager.withRepository(source.getRepository(ApiKeyEntity));
      await keys.save(keys.create({ name: 'web', hash: 'aa', role: 'shop' }));
      const [row] = await queries.query<{ count: number }>('SELECT count(*)::int AS count FROM api_key');
      const locked = await keys.findOne({ where: { name: 'web' }, lock });
      throw new Error(`${row?.count} ${locked?.hash}`);
    });
    await expect(failing).rejects.toThrow('1 aa');
    expect(await namesOn(database)).toEqual([]);
  });
});

describe('health', () => {
  interface World {
    readonly health: DatabaseHealth;
    open(): void;
    goAway(): void;
    comeBack(): void;
    close(): Promise<void>;
  }

  async function openMemory(): Promise<World> {
    const health = new FakeDatabaseHealth();
    return {
      health,
      open: () => undefined,
      goAway: () => void (health.isUp = false),
      comeBack: () => void (health.isUp = true),
      close: async () => undefined,
    };
  }

  function gateOn(source: DataSource, url: string): DatabaseGate {
    const database = new Database(source);
    const history = new HistoryWatch(
      database,
      new RecordSettings(900_000, URGENCY_RULES, 'paybell'),
      new ThisReplica(randomUUID(), [], 'test', {}),
    );
    const migration = new MigrationOptions(migrationOptions(url));
    return new DatabaseGate(source, database, new DestinationKinds([]), history, migration);
  }

  async function openPostgres(): Promise<World> {
    const database = await createTestDatabase();
    const proxy = await TcpProxy.inFrontOf(database.url, 5432);
    const source = new DataSource(dataSourceOptions(proxy.through(database.url), 2));
    const health = gateOn(source, proxy.through(database.url));
    return {
      health,
      open: () => void health.onApplicationBootstrap(),
      goAway: () => proxy.cut(),
      comeBack: () => proxy.heal(),
      close: async () => {
        await health.beforeApplicationShutdown();
        await source.destroy();
        await proxy.close();
        await database.drop();
      },
    };
  }

  describe.each([
    { name: 'in memory', open: openMemory },
    { name: 'of PostgreSQL', open: openPostgres },
  ])('the health of the database $name', ({ open }) => {
    let world: World;
    let health: DatabaseHealth;

    beforeAll(async () => {
      world = await open();
      ({ health } = world);
    });
    afterAll(async () => {
      await world.close();
      jest.restoreAllMocks();
    });

    it('is ready once its tasks are done in turn, each of them once, and repeated while it fails', async () => {
      const runs: string[] = [];
      const task = (name: string, failures: number) => async () => {
        runs.push(`${name} ${(await health.problem())?.check}`);
        if (runs.filter((run) => run.startsWith(name)).length <= failures) throw new Error(`${name} fails`);
      };
      health.beforeReady(task('first', 0));
      health.beforeReady(task('second', 1));
      world.open();
      await health.whenReady();
      expect(runs).toEqual(['first start', 'second start', 'second start']);
      expect(await health.problem()).toBeNull();
      await health.whenReady();
    });

    it('is not ready while the database does not answer, and again once it does', async () => {
      world.goAway();
      expect(await health.problem()).toMatchObject({ check: 'answer' });
      world.comeBack();
      await waitFor(async () => (await health.problem()) === null);
    });
  });
});
