import { userInfo } from 'node:os';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ApiKeyEntity } from '../../src/database/entities/api-key.entity.ts';
import { PostgresApiKeys } from '../../src/database/secrets/api-keys.store.ts';
import { KeyUseEntity } from '../../src/database/entities/key-use.entity.ts';
import { PostgresKeyUses } from '../../src/database/secrets/key-uses.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyTables, openReplicas } from '../support/replicas.ts';
import type { Stores } from '../support/stores.ts';
import { PostgresWrongKeys } from '../../src/database/secrets/wrong-keys.store.ts';
import { type KeyStore, openKeyStore } from '../../src/cli/database/key-store.ts';
import { addKey, listKeys, revokeKey } from '../../src/cli/keys/keys.ts';
import { configOf } from '../support/config-of.ts';
import type { Role } from '../../src/domain/access/role.ts';
import { hashOf } from '../../src/features/api-keys/env-keys.ts';

let db: TestDatabase;
let one: Stores;
let keys: PostgresApiKeys;
let others: PostgresApiKeys;
let uses: PostgresKeyUses;
let wrong: PostgresWrongKeys;
let wrongThere: PostgresWrongKeys;

beforeAll(async () => {
  const replicas = await openReplicas();
  ({ db, one } = replicas);
  keys = new PostgresApiKeys(one.database, one.source.getRepository(ApiKeyEntity));
  others = new PostgresApiKeys(replicas.two.database, replicas.two.source.getRepository(ApiKeyEntity));
  wrong = new PostgresWrongKeys(one.database);
  wrongThere = new PostgresWrongKeys(replicas.two.database);
  uses = new PostgresKeyUses(one.database, one.source.getRepository(KeyUseEntity));
});

beforeEach(async () => {
  await emptyTables(db, 'api_key', 'key_use', 'wrong_key');
});

describe('the API keys of the database', () => {
  it('have the role that they were made with', async () => {
    await keys.addKey('web', 'aa', 'shop');
    expect((await keys.list()).map(({ name, role }) => [name, role])).toEqual([['web', 'shop']]);
    const wrong = db.query(`INSERT INTO api_key (name, hash, role) VALUES ('x', 'cc', 'root')`);
    await expect(wrong).rejects.toThrow('api_key_has_role');
  });

  it('keep their name, hash and role where another one of the name is made', async () => {
    expect(await keys.addKey('web', 'aa', 'shop')).toBe(true);
    expect(await others.addKey('web', 'bb', 'admin')).toBe(false);
    expect(await keys.list()).toMatchObject([{ name: 'web', hash: 'aa', role: 'shop' }]);
  });

  it('keep one admin: of two that are removed at once, one stays', async () => {
    await keys.addKey('one', 'aa', 'admin');
    await keys.addKey('two', 'bb', 'admin');
    await keys.addKey('web', 'cc', 'shop');
    const results = await Promise.all([
      keys.removeUnlessLastAdmin('one'),
      others.removeUnlessLastAdmin('two'),
    ]);
    expect(results.toSorted()).toEqual(['last_admin', 'removed']);
    expect(await keys.removeUnlessLastAdmin('web')).toBe('removed');
    expect(await keys.removeUnlessLastAdmin('web')).toBe('unknown');
    expect(await keys.list()).toMatchObject([{ role: 'admin' }]);
  });

  it('take their last use along when they are removed', async () => {
    await keys.addKey('web', 'aa', 'shop');
    await uses.noteUse('aa', '10.0.0.1');
    await uses.noteUse('of API_KEYS', null);
    expect([await keys.remove('web'), await keys.remove('web')]).toEqual([true, false]);
    expect(await uses.list()).toMatchObject([{ hash: 'of API_KEYS', address: null }]);
  });
});

describe('the last uses of API keys', () => {
  it('are one for each key, the newest', async () => {
    await uses.noteUse('aa', '10.0.0.1');
    const [first] = await uses.list();
    await uses.noteUse('aa', '10.0.0.2');
    const [last, ...more] = await uses.list();
    expect([last, more]).toMatchObject([{ hash: 'aa', address: '10.0.0.2' }, []]);
    expect(last?.usedAt.getTime()).toBeGreaterThanOrEqual(first?.usedAt.getTime() ?? Number.NaN);
  });

  it('are forgotten after their retention', async () => {
    await uses.noteUse('aa', null);
    await db.query(`UPDATE key_use SET used_at = now() - interval '2 days'`);
    await uses.noteUse('bb', null);
    expect(await one.retention.removeKeyUses(new Date(Date.now() - 86_400_000))).toBe(1);
    expect(await uses.list()).toMatchObject([{ hash: 'bb' }]);
  });
});

/** How long one wrong key is kept, two, and more. */
const KEPT_MS = [60_000, 120_000, 300_000];

const addTries = async (
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
    expect(await addTries(wrong, { a: 2, b: 1 })).toEqual({ a: 2, b: 1 });
    expect(await addTries(wrongThere, { a: 1 })).toEqual({ a: 3 });
    expect(await addTries(wrong, { b: 1, c: 1 })).toEqual({ b: 2, c: 1 });
  });

  it('are kept the longer the more they are', async () => {
    await addTries(wrong, { a: 1, b: 9 });
    expect(await keptSeconds('a')).toBeCloseTo(60, -1);
    expect(await keptSeconds('b')).toBeCloseTo(300, -1);
    await addTries(wrongThere, { a: 1 });
    expect(await keptSeconds('a')).toBeCloseTo(120, -1);
  });

  it('are forgotten after that, and removed with the next ones', async () => {
    await addTries(wrong, { a: 5, b: 5 });
    await db.query(`UPDATE wrong_key SET forgotten_at = now()`);
    expect(await addTries(wrong, { a: 1 })).toEqual({ a: 1 });
    expect(await db.query('SELECT network FROM wrong_key')).toEqual([{ network: 'a' }]);
  });

  it('of the same networks at once are all counted', async () => {
    const networks = Array.from({ length: 50 }, (_none, at) => `n${at}`);
    const [there, back] = [networks, networks.toReversed()].map((names) =>
      Object.fromEntries(names.map((name) => [name, 1])),
    );
    await Promise.all(
      Array.from({ length: 10 }, (_none, at) =>
        addTries(at % 2 === 0 ? wrong : wrongThere, (at % 2 === 0 ? there : back) ?? {}),
      ),
    );
    expect(await db.query('SELECT DISTINCT wrong FROM wrong_key')).toEqual([{ wrong: 10 }]);
  });
});

describe('the commands', () => {
  const ENCRYPTION_KEY = Buffer.alloc(32).toString('base64');

  let db: TestDatabase;
  let store: KeyStore;

  beforeAll(async () => {
    db = await createTestDatabase();
  });
  afterAll(() => db.drop());

  describe('paybell keys', () => {
    beforeEach(async () => {
      await db.query('DELETE FROM api_key');
      store = await openKeyStore(configOf({ DATABASE_URL: db.url, ENCRYPTION_KEY }, { asksProvider: false }));
    });
    afterEach(() => store.close());

    const add = (name: string, role: Role = 'admin') => addKey(name, role, store);
    const revoke = (name: string) => revokeKey(name, store);

    it('adds a key and shows it once, lists names and roles only, and revokes', async () => {
      const secret = await add('shop');
      expect(secret).toMatch(/^pb_[\w-]{43}$/);
      await expect(add('shop')).rejects.toThrow('There is a key named shop already.');
      const createdAt = expect.stringMatching(/^\d{4}-\S+Z$/);
      expect(await listKeys(store)).toEqual([
        { name: 'shop', role: 'admin', createdAt, lastUsedAt: null, lastUsedFrom: null },
      ]);
      expect(JSON.stringify(await db.query('SELECT * FROM api_key'))).not.toContain(secret);
      await revoke('shop');
      await expect(revoke('shop')).rejects.toThrow('There is no key named shop.');
      for (const name of ['a b', '.', '..']) await expect(add(name)).rejects.toThrow('A name has');
    });

    it('gives a key the role that is named, and shows when and from where it was used', async () => {
      const secret = await add('web', 'shop');
      expect(await store.apiKeys.list()).toMatchObject([{ name: 'web', role: 'shop' }]);
      await store.keyUses.noteUse(hashOf(secret).toString('hex'), '10.0.0.1');
      const lastUsedAt = expect.stringMatching(/^\d{4}-\S+Z$/);
      expect(await listKeys(store)).toMatchObject([{ role: 'shop', lastUsedAt, lastUsedFrom: '10.0.0.1' }]);
    });

    it('adds and revokes no key that API_KEYS has, and says so', async () => {
      await store.close();
      const env = { DATABASE_URL: db.url, ENCRYPTION_KEY, API_KEYS: 'web:a-secret-of-sixteen:shop' };
      store = await openKeyStore(configOf(env, { asksProvider: false }));
      await expect(add('web')).rejects.toThrow('API_KEYS has a key named web already');
      await expect(revoke('web')).rejects.toThrow('The key web is set by API_KEYS: remove it there');
      expect(await store.apiKeys.list()).toEqual([]);
    });

    it('writes each change to the audit log, by the name of the user and with the exit status', async () => {
      const secret = await add('audited', 'viewer');
      await add('audited').catch(() => undefined);
      await revoke('audited');
      await listKeys(store);
      const { entries } = await store.auditLog.list({ target: 'audited', limit: 10 });
      const by = { who: userInfo().username, role: null, address: null, via: 'cli', target: 'audited' };
      expect(entries).toMatchObject([
        { ...by, action: 'key.revoke', values: {}, status: 0 },
        { ...by, action: 'key.create', values: { name: 'audited', role: 'admin' }, status: 1 },
        { ...by, action: 'key.create', values: { name: 'audited', role: 'viewer' }, status: 0 },
      ]);
      expect(JSON.stringify(entries)).not.toContain(secret);
    });

    it('changes nothing in a database of an older release, and says so', async () => {
      await db.query('ALTER TABLE audit_entry RENAME TO another');
      try {
        await expect(add('new')).rejects.toThrow('older release: start Paybell');
        expect(await store.apiKeys.list()).toEqual([]);
      } finally {
        await db.query('ALTER TABLE another RENAME TO audit_entry');
      }
    });

    it.each([
      ['refuses', '/nobody_made_it', /^The database does not answer\. \(3D000 no such database\)/],
      [
        'is not there',
        'postgres://user:hunter2@127.0.0.1:1/x',
        /^The database does not answer\. \(ECONNREFUSED connection refused\)$/,
      ],
    ])('says in words that the database %s', async (_what, url, words) => {
      const DATABASE_URL = new URL(url, db.url).href;
      const config = configOf({ DATABASE_URL, ENCRYPTION_KEY }, { asksProvider: false });
      await expect(openKeyStore(config)).rejects.toThrow(words);
    });

    it('says in words that there is no embedded database', async () => {
      await expect(openKeyStore(configOf({ DATA_DIR: '/nonexistent' }))).rejects.toThrow(
        'no embedded database',
      );
    });
  });
});
