import { userInfo } from 'node:os';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { openKeyStore, type KeyStore } from '../../src/cli/database/key-store.ts';
import { addKey, listKeys, revokeKey } from '../../src/cli/keys/keys.ts';
import { configOf } from '../support/config-of.ts';
import type { Role } from '../../src/domain/access/role.ts';
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

  it('says why the database does not let it in', async () => {
    const DATABASE_URL = new URL('/nobody_made_it', db.url).href;
    const config = configOf({ DATABASE_URL, ENCRYPTION_KEY }, { asksProvider: false });
    await expect(openKeyStore(config)).rejects.toThrow('does not answer. (3D000 no such database)');
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

  it('says in words when there is no database', async () => {
    const config = configOf(
      { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x', ENCRYPTION_KEY },
      { asksProvider: false },
    );
    await expect(openKeyStore(config)).rejects.toThrow(
      /^The database does not answer\. \(ECONNREFUSED connection refused\)$/,
    );
    await expect(openKeyStore(configOf({ DATA_DIR: '/nonexistent' }))).rejects.toThrow(
      'no embedded database',
    );
  });
});
