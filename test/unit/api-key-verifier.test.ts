import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EnvKeys } from '../../src/features/api-keys/env-keys.ts';
import { ApiKeyVerifier } from '../../src/features/api-keys/api-key-verifier.ts';
import type { StoredKey } from '../../src/ports/api-keys.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FirstKey, FirstKeySettings, KeyDisplay } from '../../src/features/api-keys/first-key.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { StoredKeys } from '../support/stored-keys.ts';

describe('api key verifier', () => {
  const ENV_SECRET = 'a-secret-of-the-environment';

  function sha256(secret: string): string {
    return createHash('sha256').update(secret).digest('hex');
  }

  function wake(env: { name: string; secret: string }[] | null = [{ name: 'shop', secret: ENV_SECRET }]) {
    const store = new StoredKeys();
    const clock = new FakeClock();
    return { store, clock, keys: new ApiKeyVerifier(new EnvKeys(env), store, clock.timers) };
  }

  beforeEach(() => {
    jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => undefined);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  describe('the verifier of API keys', () => {
    it('finds the name of a key of the setting without asking the database', async () => {
      const { keys, store } = wake();
      expect(await keys.keyOf(ENV_SECRET)).toMatchObject({ name: 'shop' });
      expect(store.reads).toBe(0);
    });

    it('keeps no secret, only hashes', () => {
      const { keys } = wake();
      expect(JSON.stringify(keys)).not.toContain(ENV_SECRET);
      expect(JSON.stringify(new EnvKeys([{ name: 'shop', secret: ENV_SECRET }]))).not.toContain(ENV_SECRET);
    });

    it('finds the name of a stored key, and reads the database once in 2 s for it', async () => {
      const { keys, store, clock } = wake();
      await store.addKey('ops', sha256('stored'));
      for (let use = 0; use < 5; use += 1) expect(await keys.keyOf('stored')).toMatchObject({ name: 'ops' });
      expect(store.reads).toBe(1);
      clock.advance(1_999);
      await keys.keyOf('stored');
      expect(store.reads).toBe(1);
      clock.advance(1);
      await keys.keyOf('stored');
      expect(store.reads).toBe(2);
    });

    it('refuses a removed key after 2 s at the latest', async () => {
      const { keys, store, clock } = wake();
      await store.addKey('ops', sha256('stored'));
      expect(await keys.keyOf('stored')).toMatchObject({ name: 'ops' });
      await store.remove('ops');
      clock.advance(2_000);
      expect(await keys.isStillKnown(sha256('stored'))).toBe(false);
      expect(await keys.keyOf('stored')).toBeNull();
    });

    it('does not take a key that was revoked here from a read that began before', async () => {
      const { keys, store, clock } = wake();
      await store.addKey('ops', sha256('stored'));
      await keys.keyOf('stored');
      clock.advance(2_000);
      const rows = [...store.rows];
      let answer: ((read: StoredKey[]) => void) | undefined;
      const list = jest
        .spyOn(store, 'list')
        .mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
      const asked = keys.keyOf('stored');
      await store.remove('ops');
      keys.forget('ops');
      answer?.(rows);
      expect(await asked).toBeNull();
      expect(await keys.keyOf('stored')).toBeNull();
      expect(list).toHaveBeenCalledTimes(2);
    });

    it('finds a new key within a second, while wrong keys cost one read a second at most', async () => {
      const { keys, store, clock } = wake();
      for (let guess = 0; guess < 50; guess += 1) expect(await keys.keyOf(`guess ${guess}`)).toBeNull();
      expect(store.reads).toBe(1);
      await store.addKey('new', sha256('fresh'));
      expect(await keys.keyOf('fresh')).toBeNull();
      clock.advance(1_000);
      expect(await keys.keyOf('fresh')).toMatchObject({ name: 'new' });
      expect(store.reads).toBe(2);
    });

    it('shares one read among requests that come at the same time', async () => {
      const { keys, store } = wake();
      await store.addKey('ops', sha256('stored'));
      const names = await Promise.all(Array.from({ length: 20 }, () => keys.keyOf('stored')));
      expect(new Set(names.map((key) => key?.name))).toEqual(new Set(['ops']));
      expect(store.reads).toBe(1);
    });

    it.each([
      '',
      'a-secret-of-the-environmen',
      `${ENV_SECRET} `,
      sha256(ENV_SECRET),
      ENV_SECRET.toUpperCase(),
    ])('does not know a key that is only like one: %p', async (secret) => {
      expect(await wake().keys.keyOf(secret)).toBeNull();
    });

    it('compares with every known key, those of the setting and the stored ones', async () => {
      const many = Array.from({ length: 20 }, (_, index) => ({
        name: `k${index}`,
        secret: `secret-${index}`,
      }));
      const { keys, store } = wake(many);
      await store.addKey('odd', 'not hex');
      await store.addKey('last', sha256('stored'));
      for (const { name, secret } of many) expect(await keys.keyOf(secret)).toMatchObject({ name });
      expect(await keys.keyOf('stored')).toMatchObject({ name: 'last' });
    });
  });

  describe('while the database is down', () => {
    it('keys of the setting and keys known before go on working, however long it takes', async () => {
      const { keys, store, clock } = wake();
      await store.addKey('ops', sha256('stored'));
      await keys.keyOf('stored');
      store.isDown = true;
      clock.advance(3_600_000);
      expect(await keys.keyOf('stored')).toMatchObject({ name: 'ops' });
      expect(await keys.keyOf(ENV_SECRET)).toMatchObject({ name: 'shop' });
    });

    it('nobody can say that a stored key is still known, while those of the setting are', async () => {
      const { keys, store, clock } = wake();
      await store.addKey('ops', sha256('stored'));
      expect(await keys.isStillKnown(sha256('stored'))).toBe(true);
      store.isDown = true;
      clock.advance(1_999);
      expect(await keys.isStillKnown(sha256('stored'))).toBe(true);
      clock.advance(1);
      await expect(keys.isStillKnown(sha256('stored'))).rejects.toMatchObject({
        code: 'database_unavailable',
      });
      expect(await keys.isStillKnown(sha256(ENV_SECRET))).toBe(true);
      store.isDown = false;
      clock.advance(1_000);
      expect(await keys.isStillKnown(sha256('stored'))).toBe(true);
    });

    it.each([[null], [[{ name: 'shop', secret: ENV_SECRET }]]])(
      'no other key is called wrong, with API_KEYS %j',
      async (env) => {
        const { keys, store, clock } = wake(env);
        store.isDown = true;
        await expect(keys.keyOf('unknown')).rejects.toMatchObject({ code: 'database_unavailable' });
        await expect(keys.keyOf('unknown')).rejects.toMatchObject({ code: 'database_unavailable' });
        expect(store.reads).toBe(1);
        store.isDown = false;
        clock.advance(1_000);
        expect(await keys.keyOf('unknown')).toBeNull();
      },
    );

    it('a read that hangs holds a request for seconds, not for ever', async () => {
      const { keys, store } = wake();
      store.list = () => new Promise(() => undefined);
      jest.useFakeTimers();
      try {
        await Promise.all([
          expect(keys.keyOf('unknown')).rejects.toMatchObject({ code: 'database_unavailable' }),
          jest.advanceTimersByTimeAsync(5_000),
        ]);
      } finally {
        jest.useRealTimers();
      }
    });
  });
});

describe('first key', () => {
  class Screen extends KeyDisplay {
    text = '';
    override show(text: string, _onLost: () => void): void {
      this.text += text;
    }
  }

  function replica(store: StoredKeys, env: ConstructorParameters<typeof EnvKeys>[0] = null) {
    const screen = new Screen();
    const settings = new FirstKeySettings('http://127.0.0.1:3000/dashboard');
    const envKeys = new EnvKeys(env);
    const wake = new ApiKeyVerifier(envKeys, store, SYSTEM_TIMERS);
    return {
      screen,
      wake,
      first: new FirstKey(envKeys, store, wake, screen, new FakeDatabaseHealth(), settings),
    };
  }

  const KEY = /\bpb_[A-Za-z0-9_-]{43}(?![\w-])/g;

  beforeEach(() => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  describe('the first key', () => {
    it('is made, stored as a hash and shown once with how to send it', async () => {
      const store = new StoredKeys();
      const { first, wake, screen } = replica(store);
      await first.ensureKey();
      const [secret = ''] = screen.text.match(KEY) ?? [];
      expect(secret).toHaveLength(46);
      const hash = createHash('sha256').update(secret).digest('hex');
      expect(store.rows).toMatchObject([{ name: 'default', hash, role: 'admin' }]);
      expect(await wake.keyOf(secret)).toMatchObject({ name: 'default', role: 'admin' });
      expect(screen.text).toContain('shown only now');
      expect(screen.text).toContain('x-api-key: KEY');
      expect(screen.text).toContain('Authorization: Bearer KEY');
      expect(screen.text).toContain('Sign in to the dashboard with it:   http://127.0.0.1:3000/dashboard');
    });

    it('is shown by one of two replicas that start at the same time, and works at both', async () => {
      const store = new StoredKeys();
      const [one, other] = [replica(store), replica(store)];
      await Promise.all([one.first.ensureKey(), other.first.ensureKey()]);
      const shown = `${one.screen.text}${other.screen.text}`.match(KEY) ?? [];
      expect(shown).toHaveLength(1);
      expect(await one.wake.keyOf(shown[0] ?? '')).toMatchObject({ name: 'default', role: 'admin' });
      expect(await other.wake.keyOf(shown[0] ?? '')).toMatchObject({ name: 'default', role: 'admin' });
    });

    it('is removed where it could not be shown, and the next start makes another one', async () => {
      const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      const store = new StoredKeys();
      const full = replica(store);
      jest.spyOn(full.screen, 'show').mockImplementation((_text, onLost) => onLost());
      await full.first.ensureKey();
      expect([store.rows, logged.mock.calls]).toEqual([[], [[expect.stringMatching(/could not be shown/)]]]);
      const next = replica(store);
      await next.first.ensureKey();
      expect(next.screen.text).toMatch(KEY);
    });

    it('is not made again at the next start', async () => {
      const store = new StoredKeys();
      await replica(store).first.ensureKey();
      const again = replica(store);
      await again.first.ensureKey();
      expect(again.screen.text).toBe('');
      expect(store.rows).toHaveLength(1);
    });

    it('is not made when there are keys already, stored or set', async () => {
      const store = new StoredKeys();
      await store.addKey('ops', 'aa');
      const stored = replica(store);
      const set = replica(new StoredKeys(), [{ name: 'shop', secret: 'a-long-enough-secret' }]);
      await stored.first.ensureKey();
      await set.first.ensureKey();
      expect([stored.screen.text, set.screen.text]).toEqual(['', '']);
    });

    it('goes to the screen and not through the logger', async () => {
      const lines: unknown[] = [];
      for (const level of ['log', 'warn', 'error', 'debug'] as const)
        jest.spyOn(Logger.prototype, level).mockImplementation((...args: unknown[]) => void lines.push(args));
      await replica(new StoredKeys()).first.ensureKey();
      expect(JSON.stringify(lines)).not.toMatch(KEY);
    });

    it('says which role each set key has, and no secret', async () => {
      const lines: string[] = [];
      jest.spyOn(Logger.prototype, 'log').mockImplementation((message: string) => void lines.push(message));
      const keys = [
        { name: 'web', secret: 'a-long-enough-secret', role: 'shop' as const },
        { name: 'ops', secret: 'another-long-secret' },
      ];
      await replica(new StoredKeys(), keys).first.ensureKey();
      expect(lines).toEqual(['API_KEYS has web (shop), ops (admin)']);
    });

    it('warns of a set key that has the name of a stored one', async () => {
      const warnings: string[] = [];
      jest
        .spyOn(Logger.prototype, 'warn')
        .mockImplementation((message: string) => void warnings.push(message));
      const store = new StoredKeys();
      await store.addKey('web', 'aa');
      await store.addKey('ops', 'bb');
      const set = ['web', 'eva'].map((name) => ({ name, secret: `a-long-enough-secret-of-${name}` }));
      await replica(store, set).first.ensureKey();
      expect(warnings).toEqual([expect.stringContaining('each have an API key named "web"')]);
      expect(warnings[0]).toContain('paybell keys revoke web');
    });

    it('warns of set secrets that can be guessed, by name only', async () => {
      const warnings: string[] = [];
      jest
        .spyOn(Logger.prototype, 'warn')
        .mockImplementation((message: string) => void warnings.push(message));
      const keys = [
        { name: 'weak', secret: 'fifteen-letters' },
        { name: 'strong', secret: 'sixteen-letters!' },
      ];
      await replica(new StoredKeys(), keys).first.ensureKey();
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('"weak"');
      expect(warnings[0]).not.toContain('fifteen-letters');
    });
  });
});
