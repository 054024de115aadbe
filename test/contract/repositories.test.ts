import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { Database } from '../../src/database/connection/database.ts';
import { ENTITIES } from '../../src/database/entities/entities.ts';
import { ApiKeyEntity } from '../../src/database/entities/api-key.entity.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

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

/** A destination of another kind has neither. */
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
