import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';

import { KnownSchema } from '../../src/database/gate/known-schema.ts';
import type { Queries } from '../../src/ports/queries.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addIndexes } from '../../src/database/gate/bring-up.ts';
import { buildIndexes } from '../../src/database/gate/build-indexes.ts';
import { dataSourceOptions, migrationOptions } from '../../src/database/connection/data-source-options.ts';

describe('the names that a release needs', () => {
  let db: TestDatabase;
  let schema: KnownSchema;
  let sent: string[] = [];

  const queries: Queries = {
    query: async <Row>(sql: string, parameters: readonly unknown[] = []) => {
      sent.push(sql);
      return (await db.query(sql, [...parameters])) as Row[];
    },
  };

  beforeAll(async () => {
    db = await createTestDatabase();
    schema = new KnownSchema();
    await schema.learn(queries);
  });
  afterAll(() => db.drop());

  /** The missing names, and whether names were compared to find them. */
  async function check(): Promise<{ missing: readonly string[]; isCompared: boolean }> {
    sent = [];
    const { missing } = await schema.check(queries);
    return { missing, isCompared: sent.some((sql) => sql.includes('to_regprocedure')) };
  }

  it('compares names once, and not again while nothing has changed', async () => {
    expect(await check()).toEqual({ missing: [], isCompared: true });
    await db.query('ANALYZE payment');
    await db.query(`INSERT INTO removed_payment (quote_text) VALUES ('q')`);
    expect(await check()).toEqual({ missing: [], isCompared: false });
  });

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
  ])('finds at once that %s has gone, and that it is back', async (_name, go, comeBack, missing) => {
    await db.query(go);
    expect(await check()).toEqual({ missing: [missing], isCompared: true });
    await db.query(comeBack);
    expect(await check()).toEqual({ missing: [], isCompared: true });
    expect(await check()).toEqual({ missing: [], isCompared: false });
  });

  it('asks about each name again for as long as one is missing', async () => {
    await db.query('ALTER TABLE payment RENAME order_id TO x');
    expect(await check()).toEqual({ missing: ['payment.order_id'], isCompared: true });
    expect(await check()).toEqual({ missing: ['payment.order_id'], isCompared: true });
    await db.query('ALTER TABLE payment RENAME x TO order_id');
  });

  it('finds a change of what was restored, which has other rows in the catalog', async () => {
    await db.query('CREATE TABLE restored (LIKE quote_window INCLUDING ALL)');
    await db.query('DROP TABLE quote_window');
    await db.query('ALTER TABLE restored RENAME TO quote_window');
    expect(await check()).toEqual({ missing: [], isCompared: true });
    expect(await check()).toEqual({ missing: [], isCompared: false });
    await db.query('ALTER TABLE quote_window RENAME COLUMN paused_until TO x');
    expect(await check()).toEqual({ missing: ['quote_window.paused_until'], isCompared: true });
  });
});

const INDEXES = [
  { name: 'thing_by_size', definition: 'ON thing (size)' },
  { name: 'thing_by_name', definition: 'ON thing (name)' },
];
const NAMES = INDEXES.map(({ name }) => name);

let db: Awaited<ReturnType<typeof createEmptyDatabase>>;
let sources: DataSource[];

beforeAll(async () => {
  db = await createEmptyDatabase();
  await db.query('CREATE TABLE thing (size int, name text)');
  sources = await Promise.all([1, 2].map(() => new DataSource(dataSourceOptions(db.url, 2)).initialize()));
});
afterAll(async () => {
  for (const source of sources) await source.destroy();
  await db.drop();
});
beforeEach(async () => {
  for (const name of NAMES) await db.query(`DROP INDEX IF EXISTS ${name}`);
  await db.query('DELETE FROM thing');
});

const build = (source = sources[0]): Promise<string[]> =>
  source === undefined ? Promise.resolve([]) : buildIndexes(source, sleep, INDEXES);

async function validIndexes(): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = 'thing'::regclass AND indisvalid ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

describe('the indexes of large tables', () => {
  it('are built where they are missing, and not again', async () => {
    expect(await build()).toEqual(NAMES);
    expect(await build()).toEqual([]);
    expect(await validIndexes()).toEqual(NAMES.toSorted());
  });

  it('are built anew where a build was cut off', async () => {
    await db.query('INSERT INTO thing VALUES (1), (1)');
    await expect(
      db.query('CREATE UNIQUE INDEX CONCURRENTLY thing_by_size ON thing (size)'),
    ).rejects.toThrow();
    expect(await validIndexes()).toEqual([]);
    expect(await build()).toEqual(NAMES);
    expect(await validIndexes()).toEqual(NAMES.toSorted());
  });

  it('let rows be written while they are built', async () => {
    const writer = await new DataSource(dataSourceOptions(db.url, 1)).initialize();
    try {
      await writer.query('BEGIN');
      await writer.query('INSERT INTO thing VALUES (1)');
      // The build waits for this transaction.
      const building = build();
      await sleep(200);
      expect(await validIndexes()).toEqual([]);
      await db.query('INSERT INTO thing VALUES (2)');
      await writer.query('COMMIT');
      expect(await building).toEqual(NAMES);
    } finally {
      await writer.destroy();
    }
  });

  it('are all there when replicas start together', async () => {
    const outcomes = await Promise.allSettled(sources.map((source) => build(source)));
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await validIndexes()).toEqual(NAMES.toSorted());
  });
});

it.each([
  ['where they are compared', /FROM pg_index/, /^the indexes could not be compared, trying again: 57P01/],
  ['while one is built', /^CREATE INDEX/, /^the index payment_carried is missing, building it again: 57P01/],
])('a backend that ends %s: an index is said to be missing only where one is', async (_when, ended, said) => {
  const whole = await createTestDatabase();
  await whole.query('DROP INDEX payment_carried');
  const sent = Reflect.get(DataSource.prototype, 'query');
  const end = 'SELECT pg_terminate_backend(pg_backend_pid())';
  const ending = jest.spyOn(DataSource.prototype, 'query');
  ending.mockImplementation(function (this: DataSource, sql, ...rest) {
    return ended.test(sql) ? sent.call(this, end) : sent.call(this, sql, ...rest);
  });
  const stop = new AbortController();
  const log = new Logger();
  const warned = jest.spyOn(log, 'warn').mockImplementation(() => stop.abort());
  await addIndexes(migrationOptions(whole.directUrl), log, stop.signal);
  ending.mockRestore();
  expect(warned.mock.calls).toEqual([[expect.stringMatching(said)]]);
  await whole.drop();
});
