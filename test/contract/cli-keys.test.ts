import { userInfo } from 'node:os';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { openKeyStore, type KeyStore } from '../../src/cli/key-store.ts';
import { manageKeys } from '../../src/cli/keys.ts';
import { Config } from '../../src/config/config.ts';
import { hashOf } from '../../src/features/api-keys/env-keys.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const ENCRYPTION_KEY = Buffer.alloc(32).toString('base64');

let db: TestDatabase;
let store: KeyStore;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

describe('paybell keys', () => {
  beforeEach(async () => {
    await db.query('TRUNCATE api_key');
    store = await openKeyStore(new Config({ DATABASE_URL: db.url, ENCRYPTION_KEY }, { asksProvider: false }));
  });
  afterEach(() => store.close());

  function run(...words: string[]): Promise<string> {
    return manageKeys(words, store);
  }

  it('adds a key and shows it once, lists names and roles only, and revokes', async () => {
    const secret = (await run('add', 'shop')).trim();
    expect(secret).toMatch(/^pb_[\w-]{43}$/);
    await expect(run('add', 'shop')).rejects.toThrow('There is a key named shop already.');
    expect(await run('list')).toMatch(
      /^NAME {2}ROLE {3}CREATED {19}LAST USED {2}FROM\nshop {2}admin {2}\d{4}-\S+Z {2}never\n$/,
    );
    expect(JSON.stringify(await db.query('SELECT * FROM api_key'))).not.toContain(secret);
    expect(await run('revoke', 'shop')).toBe('shop is revoked.\n');
    await expect(run('revoke', 'shop')).rejects.toThrow('There is no key named shop.');
    for (const name of ['a b', '.', '..']) await expect(run('add', name)).rejects.toThrow('A name has');
    await expect(run('add')).rejects.toThrow();
  });

  it('gives a key the role that is named, and shows when and from where it was used', async () => {
    const secret = (await run('add', 'web', '--role', 'shop')).trim();
    expect(await store.apiKeys.list()).toMatchObject([{ name: 'web', role: 'shop' }]);
    await store.keyUses.note(hashOf(secret).toString('hex'), '10.0.0.1');
    expect(await run('list')).toMatch(/\nweb {3}shop {2}\d{4}-\S+Z {2}\d{4}-\S+Z {2}10\.0\.0\.1\n$/);
    await expect(run('add', 'x', '--role', 'root')).rejects.toThrow(
      'A role is one of: shop, viewer, operator',
    );
    for (const words of [['--role'], ['--rule', 'shop'], ['--role', 'shop', 'more']])
      await expect(run('add', 'x', ...words)).rejects.toThrow('');
    expect(await store.apiKeys.list()).toHaveLength(1);
  });

  it('adds no key that API_KEYS has, and says so', async () => {
    await store.close();
    const env = { DATABASE_URL: db.url, ENCRYPTION_KEY, API_KEYS: 'web:a-secret-of-sixteen:shop' };
    store = await openKeyStore(new Config(env, { asksProvider: false }));
    await expect(run('add', 'web')).rejects.toThrow('API_KEYS has a key named web already');
    expect(await store.apiKeys.list()).toEqual([]);
  });

  it('writes each change to the audit log, by the name of the user and with the exit status', async () => {
    const secret = (await run('add', 'audited', '--role', 'viewer')).trim();
    await run('add', 'audited').catch(() => undefined);
    await run('revoke', 'audited');
    await run('list');
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
      await expect(run('add', 'new')).rejects.toThrow('older release: start Paybell');
      expect(await store.apiKeys.list()).toEqual([]);
    } finally {
      await db.query('ALTER TABLE another RENAME TO audit_entry');
    }
  });

  it('says in words when there is no database', async () => {
    const config = new Config(
      { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x', ENCRYPTION_KEY },
      { asksProvider: false },
    );
    await expect(openKeyStore(config)).rejects.toThrow(/^The database does not answer\.$/);
    await expect(openKeyStore(new Config({ DATA_DIR: '/nonexistent' }))).rejects.toThrow(
      'no embedded database',
    );
  });
});
