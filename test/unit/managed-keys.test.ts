import { describe, expect, it } from '@jest/globals';

import { ApiKeyVerifier } from '../../src/features/api-keys/api-key-verifier.ts';
import { EnvKeys, hashOf } from '../../src/features/api-keys/env-keys.ts';
import { ManagedKeys } from '../../src/features/api-keys/managed-keys.ts';
import { ApiKeys, type KeyUse, type KeyUses, type StoredKey } from '../../src/ports/api-keys.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';

type Removal = 'removed' | 'unknown' | 'last_admin';

class StoredKeys extends ApiKeys {
  rows: StoredKey[] = [];
  override async list(): Promise<StoredKey[]> {
    return [...this.rows];
  }
  override async addKey(name: string, hash: string, role: StoredKey['role']): Promise<boolean> {
    if (this.rows.some((row) => row.name === name)) return false;
    this.rows.push({ name, hash, role, createdAt: new Date(0) });
    return true;
  }
  override async remove(name: string): Promise<boolean> {
    const before = this.rows.length;
    this.rows = this.rows.filter((row) => row.name !== name);
    return this.rows.length < before;
  }
  override async removeUnlessLastAdmin(name: string): Promise<Removal> {
    const key = this.rows.find((row) => row.name === name);
    const admins = this.rows.filter(({ role }) => role === 'admin');
    if (key?.role === 'admin' && admins.length === 1) return 'last_admin';
    return (await this.remove(name)) ? 'removed' : 'unknown';
  }
}

function open(env: ConstructorParameters<typeof EnvKeys>[0] = null, uses: KeyUse[] = []) {
  const store = new StoredKeys();
  const envKeys = new EnvKeys(env);
  const verifier = new ApiKeyVerifier(envKeys, store, new FakeClock().timers);
  const keyUses = { list: () => Promise.resolve(uses) } as KeyUses;
  return { store, verifier, keys: new ManagedKeys(envKeys, store, keyUses, verifier) };
}

describe('API keys', () => {
  it('are made with a role and known at once; their secret is in this answer and nowhere else', async () => {
    const { store, verifier, keys } = open();
    const { key, ...view } = await keys.create('web', 'shop');
    expect(key).toMatch(/^pb_[\w-]{43}$/);
    expect(await verifier.keyOf(key)).toMatchObject({ name: 'web', role: 'shop' });
    expect(await keys.list()).toEqual([view]);
    expect(JSON.stringify([await keys.list(), store.rows])).not.toContain(key);
  });

  it('are listed with those of the setting and when and from where each was used last', async () => {
    const usedAt = new Date('2026-11-20T12:00:00.000Z');
    const hash = hashOf('a-secret-of-sixteen').toString('hex');
    const { store, keys } = open(
      [{ name: 'set', secret: 'a-secret-of-sixteen', role: 'viewer' }],
      [{ hash, usedAt, address: '10.0.0.1' }],
    );
    await store.addKey('stored', 'ab', 'operator');
    expect(await keys.list()).toEqual([
      {
        name: 'set',
        role: 'viewer',
        source: 'API_KEYS',
        createdAt: null,
        lastUsedAt: usedAt,
        lastUsedFrom: '10.0.0.1',
      },
      {
        name: 'stored',
        role: 'operator',
        source: 'database',
        createdAt: new Date(0),
        lastUsedAt: null,
        lastUsedFrom: null,
      },
    ]);
  });

  it('have a name of their own, among those of the setting too', async () => {
    const { keys } = open([{ name: 'set', secret: 'a-secret-of-sixteen' }]);
    await keys.create('web', 'shop');
    for (const name of ['web', 'set'])
      await expect(keys.create(name, 'shop')).rejects.toMatchObject({ code: 'key_exists' });
    await expect(keys.create('set', 'shop')).rejects.toThrow('API_KEYS has an API key named set already');
    await expect(keys.create('web', 'shop')).rejects.toThrow('The database has an API key named web already');
  });

  it('are not made without end', async () => {
    const { store, keys } = open();
    store.rows = Array.from({ length: 500 }, (_none, at) => {
      return { name: `k${at}`, hash: 'ab', role: 'shop', createdAt: new Date(0) };
    });
    await expect(keys.create('one-more', 'shop')).rejects.toMatchObject({ code: 'too_many_keys' });
  });

  it('that are revoked are unknown at once', async () => {
    const { verifier, keys } = open();
    await keys.create('boss', 'admin');
    const { key } = await keys.create('web', 'shop');
    await keys.revoke('web');
    expect(await verifier.keyOf(key)).toBeNull();
    await expect(keys.revoke('web')).rejects.toMatchObject({ code: 'unknown_key' });
    await expect(keys.revoke('no such name')).rejects.toMatchObject({ code: 'unknown_key' });
  });

  it('of the setting are not revoked here', async () => {
    const { keys } = open([{ name: 'set', secret: 'a-secret-of-sixteen' }]);
    await expect(keys.revoke('set')).rejects.toMatchObject({ code: 'key_in_settings' });
  });

  it('keep one admin, unless the setting has one', async () => {
    const { keys } = open([{ name: 'set', secret: 'a-secret-of-sixteen', role: 'viewer' }]);
    await keys.create('boss', 'admin');
    await expect(keys.revoke('boss')).rejects.toMatchObject({ code: 'last_admin_key' });
    await keys.create('other', 'admin');
    await keys.revoke('boss');
    const { keys: withAdmin } = open([{ name: 'set', secret: 'a-secret-of-sixteen', role: 'admin' }]);
    await withAdmin.create('boss', 'admin');
    await withAdmin.revoke('boss');
    expect(await withAdmin.list()).toMatchObject([{ name: 'set' }]);
  });
});
