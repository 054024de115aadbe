import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { KnownSchema } from '../../src/database/gate/known-schema.ts';
import { migrate } from '../../src/database/gate/migrate.ts';
import { INDEXES } from '../../src/database/schema/indexes.ts';
import type { Queries } from '../../src/ports/queries.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('the names that a release needs', () => {
  let db: TestDatabase;
  let schema: KnownSchema;

  const queries: Queries = {
    query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
      (await db.query(sql, [...parameters])) as Row[],
  };

  beforeAll(async () => {
    db = await createTestDatabase();
    schema = new KnownSchema();
    await schema.learn(queries);
  });
  afterAll(() => db.drop());

  const missing = async (): Promise<readonly string[]> => (await schema.check(queries)).missing;

  it.each([
    [
      'a table',
      'ALTER TABLE quote_window RENAME TO x',
      'ALTER TABLE x RENAME TO quote_window',
      'quote_window',
    ],
    [
      'a column',
      'ALTER TABLE payment RENAME order_id TO x',
      'ALTER TABLE payment RENAME x TO order_id',
      'payment.order_id',
    ],
    [
      'a function',
      'ALTER FUNCTION log_horizon RENAME TO x',
      'ALTER FUNCTION x RENAME TO log_horizon',
      'log_horizon()',
    ],
  ])('finds at once that %s has gone, and that it is back', async (_what, go, comeBack, name) => {
    await db.query(go);
    expect(await missing()).toEqual([name]);
    await db.query(comeBack);
    expect(await missing()).toEqual([]);
  });
});

it('a start makes the indexes that are missing, and leaves the others as they are', async () => {
  const db = await createTestDatabase();
  const source = await new DataSource(dataSourceOptions(db.url, 1)).initialize();
  const indexes = () => db.query<{ name: string; id: number }>(INDEX_IDS, [Object.keys(INDEXES)]);
  const before = await indexes();
  await db.query('DROP INDEX payment_carried');
  await migrate(source);
  const after = await indexes();
  const isNew = after.filter(({ id }) => before.every((each) => each.id !== id));
  expect(after.map(({ name }) => name)).toEqual(Object.keys(INDEXES).toSorted());
  expect(isNew).toMatchObject([{ name: 'payment_carried' }]);
  await source.destroy();
  await db.drop();
});

const INDEX_IDS = `
  SELECT relname AS name, oid::int AS id FROM pg_class WHERE relname = ANY ($1::text[]) ORDER BY relname COLLATE "C"`;
