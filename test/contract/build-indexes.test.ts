import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';

import { buildIndexes } from '../../src/database/gate/build-indexes.ts';
import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { createEmptyDatabase } from '../support/database.ts';

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
