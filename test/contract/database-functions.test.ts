import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';

import { readFunctionTexts, type FunctionText } from '../../src/database/gate/apply-functions.ts';
import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { migrate, thisRelease, type Migrated, type Release } from '../../src/database/gate/migrate.ts';
import { MIGRATIONS, TABLES } from '../../src/database/schema/migrations.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts';

/** Functions that triggers, defaults of columns and indexes use: PostgreSQL can replace them, and not drop them. */
const USED_BY_TABLES = new Set([
  'is_settled',
  'keep_audit',
  'keep_removed_payments',
  'keep_report',
  'log_epoch',
  'log_rank_of',
  'remove_attempt',
  'run_again',
  'search_terms',
]);

const CURRENT = readFunctionTexts();
/** Versions later than the one of this package. */
const [V1, V2, V3, V4] = ['1001.0.0', '1002.0.0', '1003.0.0', '1004.0.0'] as const;

let db: Awaited<ReturnType<typeof createEmptyDatabase>>;

afterEach(() => db.drop());

/** Starts like a replica. */
async function start(release?: Release): Promise<Migrated> {
  const source = await new DataSource(dataSourceOptions(db.url, 2)).initialize();
  try {
    return await migrate(source, release);
  } finally {
    await source.destroy();
  }
}

function release(version: string, ...functions: FunctionText[]): Release {
  return { version, functions: [...CURRENT, ...functions] };
}

function greeting(word: string, name = 'greeting'): FunctionText {
  const text = `CREATE OR REPLACE FUNCTION ${name}() RETURNS text LANGUAGE sql AS $$ SELECT '${word}' $$`;
  return { name, text };
}

function textOf(name: string): string {
  return CURRENT.find((each) => each.name === name)?.text ?? '';
}

const GREETING_V2: FunctionText = {
  name: 'greeting_v2',
  text: `CREATE OR REPLACE FUNCTION greeting_v2(who text) RETURNS text LANGUAGE sql AS $$ SELECT 'hello ' || who $$`,
};

interface StoredFunction {
  readonly name: string;
  readonly arguments: string;
  readonly result: string;
  readonly language: string;
  readonly volatility: string;
  readonly settings: string[] | null;
  readonly rows: number;
  readonly body: string;
}

function stored(): Promise<StoredFunction[]> {
  return db.query<StoredFunction>(STORED);
}

async function names(): Promise<string[]> {
  return (await stored()).map(({ name }) => name);
}

async function say(call = 'greeting()'): Promise<unknown> {
  const [row] = await db.query<{ said: unknown }>(`SELECT ${call} AS said`);
  return row?.said;
}

describe('the functions of a new database', () => {
  beforeEach(async () => {
    db = await createEmptyDatabase();
  });

  it('are the texts of database/functions, written by one of two replicas that start at once, with all tables', async () => {
    const both = await Promise.all([start(), start()]);
    const [one, other] = both.toSorted((a, b) => b.functions.length - a.functions.length);
    const expected = CURRENT.map(({ name }) => name);
    expect([one?.functions, one?.migrations.length]).toEqual([expected, MIGRATIONS.length]);
    expect(other).toMatchObject({ functions: [], migrations: [] });
    const tables = await db.query<{ name: string }>(TABLE_NAMES);
    expect(tables.map(({ name }) => name)).toEqual(['paybell_migration', ...TABLES].toSorted());
    const releases = await db.query('SELECT DISTINCT release FROM paybell_function');
    expect(releases).toEqual([{ release: thisRelease().version }]);
    expect((await names()).toSorted()).toEqual(expected.toSorted());
    const applied = await stored();
    // Creates each function again by its text alone, which must give the same function.
    for (const { name, text } of CURRENT) {
      if (!USED_BY_TABLES.has(name)) await db.query(`DROP FUNCTION ${name}`);
      await db.query(text);
    }
    expect(await stored()).toEqual(applied);
    for (const { name, body } of applied) expect(textOf(name)).toContain(body);
  });
});

describe('the functions of the database', () => {
  beforeEach(async () => {
    db = await createTestDatabase();
  });

  it('are written only where their text has changed', async () => {
    await start(release(V1, greeting('hello')));
    expect((await start(release(V1, greeting('hello')))).functions).toEqual([]);
    expect((await start(release(V2, greeting('good morning')))).functions).toEqual(['greeting']);
    expect(await say()).toBe('good morning');
  });

  it('are not turned back by a replica of an older release that restarts', async () => {
    await start(release(V1, greeting('hello')));
    await start(release(V2, greeting('good morning')));
    expect((await start(release(V1, greeting('hello')))).functions).toEqual([]);
    expect((await start()).functions).toEqual([]);
    expect(await say()).toBe('good morning');
    expect((await start(release(V2, greeting('good evening')))).functions).toEqual(['greeting']);
    expect(await say()).toBe('good evening');
  });

  it('of an old and a new release that start at once are those of the new one', async () => {
    await start();
    const older = release(V1, greeting('hello'));
    const newer = release(V2, greeting('good morning'));
    await Promise.all([older, newer, older, newer].map(start));
    expect(await say()).toBe('good morning');
  });

  it('of a former and a new release are there side by side, and are dropped a release later', async () => {
    await start(release(V1, greeting('hello')));
    await start(release(V2, GREETING_V2));
    await start(release(V2, GREETING_V2));
    expect([await say(), await say(`greeting_v2('world')`)]).toEqual(['hello', 'hello world']);
    await start(release(V1, greeting('hello')));
    expect([await say(), await say(`greeting_v2('world')`)]).toEqual(['hello', 'hello world']);
    await start(release(V3, GREETING_V2));
    expect((await names()).filter((name) => name.startsWith('greeting'))).toEqual(['greeting_v2']);
    await start(release(V4));
    expect((await names()).filter((name) => name.startsWith('greeting'))).toEqual(['greeting_v2']);
    await start(release('1005.0.0'));
    expect((await names()).toSorted()).toEqual(CURRENT.map(({ name }) => name).toSorted());
  });

  it('are dropped at once where an unreleased text of the same version is gone', async () => {
    await start(release(V1, greeting('hello'), greeting('bye', 'farewell')));
    await start(release(V1, greeting('hello')));
    expect(await names()).not.toContain('farewell');
  });

  it.each([
    [
      'other parameters',
      `CREATE OR REPLACE FUNCTION greeting(who text) RETURNS text LANGUAGE sql AS $$ SELECT who $$`,
      'greeting_v2',
    ],
    [
      'another result',
      `CREATE OR REPLACE FUNCTION greeting() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$`,
      'cannot change return type',
    ],
    ['another name', `CREATE OR REPLACE FUNCTION salute() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$`, ''],
  ])(
    'change nothing at all where the text of one has %s than before, and say why',
    async (_what, text, named) => {
      await start(release(V1, greeting('hello')));
      const before = await stored();
      const changed = release(V2, { name: 'greeting', text }, greeting('bye', 'farewell'));
      await expect(start(changed)).rejects.toThrow(named);
      expect(await stored()).toEqual(before);
      await start(release(V1, greeting('hello')));
      expect(await say()).toBe('hello');
    },
  );
});

const TABLE_NAMES = `
  SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename COLLATE "C"`;

const STORED = `
  SELECT p.proname AS name, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
    l.lanname AS language, p.provolatile AS volatility, p.proconfig AS settings, p.prorows AS rows, p.prosrc AS body
  FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
  WHERE p.pronamespace = 'public'::regnamespace ORDER BY p.proname, 2`;
