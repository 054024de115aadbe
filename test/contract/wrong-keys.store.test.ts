import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresWrongKeys } from '../../src/database/secrets/wrong-keys.store.ts';
import { openReplicas } from '../support/replicas.ts';

/** One, two and more wrong keys are kept for so long. */
const KEPT_MS = [60_000, 120_000, 300_000];

let db: Awaited<ReturnType<typeof openReplicas>>['db'];
let one: PostgresWrongKeys;
let other: PostgresWrongKeys;

beforeAll(async () => {
  const replicas = await openReplicas();
  db = replicas.db;
  one = new PostgresWrongKeys(replicas.one.database);
  other = new PostgresWrongKeys(replicas.two.database);
});
beforeEach(() => db.query('TRUNCATE wrong_key'));

const add = async (
  store: PostgresWrongKeys,
  tries: Record<string, number>,
): Promise<Record<string, number>> =>
  Object.fromEntries(await store.addTries(new Map(Object.entries(tries)), KEPT_MS));

async function keptSeconds(network: string): Promise<number | undefined> {
  const sql = `SELECT extract(epoch FROM forgotten_at - now())::float8 AS s FROM wrong_key WHERE network = $1`;
  return (await db.query<{ s: number }>(sql, [network]))[0]?.s;
}

describe('the wrong keys of all replicas', () => {
  it('are added up by network', async () => {
    expect(await add(one, { a: 2, b: 1 })).toEqual({ a: 2, b: 1 });
    expect(await add(other, { a: 1 })).toEqual({ a: 3 });
    expect(await add(one, { b: 1, c: 1 })).toEqual({ b: 2, c: 1 });
  });

  it('are kept the longer the more they are', async () => {
    await add(one, { a: 1, b: 9 });
    expect(await keptSeconds('a')).toBeCloseTo(60, -1);
    expect(await keptSeconds('b')).toBeCloseTo(300, -1);
    await add(other, { a: 1 });
    expect(await keptSeconds('a')).toBeCloseTo(120, -1);
  });

  it('are forgotten after that, and removed with the next ones', async () => {
    await add(one, { a: 5, b: 5 });
    await db.query(`UPDATE wrong_key SET forgotten_at = now()`);
    expect(await add(one, { a: 1 })).toEqual({ a: 1 });
    expect(await db.query('SELECT network FROM wrong_key')).toEqual([{ network: 'a' }]);
  });

  it('of the same networks at once are all counted', async () => {
    const networks = Array.from({ length: 50 }, (_none, at) => `n${at}`);
    const [there, back] = [networks, networks.toReversed()].map((names) =>
      Object.fromEntries(names.map((name) => [name, 1])),
    );
    await Promise.all(
      Array.from({ length: 10 }, (_none, at) =>
        add(at % 2 === 0 ? one : other, (at % 2 === 0 ? there : back) ?? {}),
      ),
    );
    expect(await db.query('SELECT DISTINCT wrong FROM wrong_key')).toEqual([{ wrong: 10 }]);
  });
});
