import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { openKeyStore } from '../../src/cli/key-store.ts';
import { manageKeys } from '../../src/cli/keys.ts';
import { Config } from '../../src/config/config.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const ENCRYPTION_KEY = Buffer.alloc(32).toString('base64');

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

describe('paybell keys', () => {
  it('adds a key and shows it once, lists names only, and revokes', async () => {
    const { apiKeys, close } = await openKeyStore(
      new Config({ DATABASE_URL: db.url, ENCRYPTION_KEY }, { asksProvider: false }),
    );
    try {
      const secret = (await manageKeys(['add', 'shop'], apiKeys)).trim();
      expect(secret).toMatch(/^pb_[\w-]{43}$/);
      await expect(manageKeys(['add', 'shop'], apiKeys)).rejects.toThrow(
        'There is a key named shop already.',
      );
      expect(await manageKeys(['list'], apiKeys)).toMatch(/^\d{4}-\S+Z {2}shop\n$/);
      expect(JSON.stringify(await db.query('SELECT * FROM api_key'))).not.toContain(secret);
      expect(await manageKeys(['revoke', 'shop'], apiKeys)).toBe('shop is revoked.\n');
      await expect(manageKeys(['revoke', 'shop'], apiKeys)).rejects.toThrow('There is no key named shop.');
      await expect(manageKeys(['add', 'a b'], apiKeys)).rejects.toThrow('A name has');
      await expect(manageKeys(['add'], apiKeys)).rejects.toThrow();
    } finally {
      await close();
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
