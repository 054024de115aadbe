import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ApiKeyEntity } from '../../src/database/entities/api-key.entity.ts';
import { PostgresApiKeys } from '../../src/database/secrets/api-keys.store.ts';
import { KeyUseEntity } from '../../src/database/entities/key-use.entity.ts';
import { PostgresKeyUses } from '../../src/database/secrets/key-uses.store.ts';
import type { TestDatabase } from '../support/database.ts';
import { openReplicas } from '../support/replicas.ts';
import type { Stores } from '../support/stores.ts';

let db: TestDatabase;
let one: Stores;
let keys: PostgresApiKeys;
let others: PostgresApiKeys;
let uses: PostgresKeyUses;

beforeAll(async () => {
  const replicas = await openReplicas();
  ({ db, one } = replicas);
  keys = new PostgresApiKeys(one.database, one.source.getRepository(ApiKeyEntity));
  others = new PostgresApiKeys(replicas.two.database, replicas.two.source.getRepository(ApiKeyEntity));
  uses = new PostgresKeyUses(one.database, one.source.getRepository(KeyUseEntity));
});

beforeEach(async () => {
  await db.query('TRUNCATE api_key, key_use');
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
