import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { NotedUses } from '../../src/features/api-keys/noted-uses.ts';
import type { KeyUse, KeyUses, KnownKey, StoredKey } from '../../src/ports/api-keys.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { StoredKeys } from '../support/stored-keys.ts';
import { ApiKeyVerifier } from '../../src/features/api-keys/api-key-verifier.ts';
import { EnvKeys, hashOf } from '../../src/features/api-keys/env-keys.ts';
import { ManagedKeys } from '../../src/features/api-keys/managed-keys.ts';
import { nextPath } from '../../src/features/sessions/sign-in.controller.ts';
import { networkOf } from '../../src/platform/http/client-address.ts';
import { KeyCheck } from '../../src/features/api-keys/key-check.ts';
import type { KeyedRequest } from '../../src/platform/http/keyed-request.ts';
import { SessionKeys } from '../../src/platform/http/session-keys.ts';

describe('noted uses', () => {
  function keyOf(name: string): KnownKey {
    return { name, hash: Buffer.from(name), role: 'shop' };
  }

  function open() {
    const clock = new FakeClock();
    const note = jest.fn<KeyUses['noteUse']>().mockResolvedValue(undefined);
    return { clock, note, uses: new NotedUses({ noteUse: note } as unknown as KeyUses, clock.timers) };
  }

  afterEach(() => {
    jest.restoreAllMocks();
  });

  describe('the use of a key', () => {
    it('is noted once a minute for each key, by its hash, with the address', () => {
      const { clock, note, uses } = open();
      for (let request = 0; request < 100; request += 1) uses.noteUse(keyOf('one'), '10.0.0.1');
      uses.noteUse(keyOf('two'), '10.0.0.2');
      clock.advance(59_999);
      uses.noteUse(keyOf('one'), '10.0.0.3');
      clock.advance(1);
      uses.noteUse(keyOf('one'), null);
      const [one, two] = ['one', 'two'].map((name) => Buffer.from(name).toString('hex'));
      expect(note.mock.calls).toEqual([
        [one, '10.0.0.1'],
        [two, '10.0.0.2'],
        [one, null],
      ]);
    });

    it('is in no request’s way: a database that is away or hangs is not waited for', async () => {
      const debug = jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => undefined);
      const { clock, note, uses } = open();
      note
        .mockRejectedValueOnce(new Error('connection refused'))
        .mockReturnValueOnce(new Promise(() => undefined));
      expect(uses.noteUse(keyOf('one'), '10.0.0.1')).toBeUndefined();
      clock.advance(60_000);
      expect(uses.noteUse(keyOf('one'), '10.0.0.1')).toBeUndefined();
      await new Promise(setImmediate);
      expect(debug).toHaveBeenCalledTimes(1);
    });
  });
});

function openKeys(env: ConstructorParameters<typeof EnvKeys>[0] = null, uses: KeyUse[] = []) {
  const store = new StoredKeys();
  const envKeys = new EnvKeys(env);
  const clock = new FakeClock();
  const verifier = new ApiKeyVerifier(envKeys, store, clock.timers);
  const keyUses = { list: () => Promise.resolve(uses) } as KeyUses;
  return { store, verifier, clock, keys: new ManagedKeys(envKeys, store, keyUses, verifier) };
}

describe('API keys', () => {
  it('are made with a role and known at once; their secret is in this answer and nowhere else', async () => {
    const { store, verifier, keys } = openKeys();
    const { key, ...view } = await keys.create('web', 'shop');
    expect(key).toMatch(/^pb_[\w-]{43}$/);
    expect(await verifier.keyOf(key)).toMatchObject({ name: 'web', role: 'shop' });
    expect(await keys.list()).toEqual([view]);
    expect(JSON.stringify([await keys.list(), store.rows])).not.toContain(key);
  });

  it('are listed with those of the setting and when and from where each was used last', async () => {
    const usedAt = new Date('2026-11-20T12:00:00.000Z');
    const hash = hashOf('a-secret-of-sixteen').toString('hex');
    const { store, keys } = openKeys(
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
    const { keys } = openKeys([{ name: 'set', secret: 'a-secret-of-sixteen' }]);
    await keys.create('web', 'shop');
    for (const name of ['web', 'set'])
      await expect(keys.create(name, 'shop')).rejects.toMatchObject({ code: 'key_exists' });
    await expect(keys.create('set', 'shop')).rejects.toThrow('API_KEYS has an API key named set already');
    await expect(keys.create('web', 'shop')).rejects.toThrow('The database has an API key named web already');
  });

  it('are not made without end', async () => {
    const { store, keys } = openKeys();
    store.rows = Array.from({ length: 500 }, (_none, at) => {
      return { name: `k${at}`, hash: 'ab', role: 'shop', createdAt: new Date(0) };
    });
    await expect(keys.create('one-more', 'shop')).rejects.toMatchObject({ code: 'too_many_keys' });
  });

  it('that are revoked are unknown at once', async () => {
    const { verifier, keys } = openKeys();
    await keys.create('boss', 'admin');
    const { key } = await keys.create('web', 'shop');
    await keys.revoke('web');
    expect(await verifier.keyOf(key)).toBeNull();
    await expect(keys.revoke('web')).rejects.toMatchObject({ code: 'unknown_key' });
    await expect(keys.revoke('no such name')).rejects.toMatchObject({ code: 'unknown_key' });
  });

  it('of the setting are not revoked here', async () => {
    const { keys } = openKeys([{ name: 'set', secret: 'a-secret-of-sixteen' }]);
    await expect(keys.revoke('set')).rejects.toMatchObject({ code: 'key_in_settings' });
  });

  it('keep one admin, unless the setting has one', async () => {
    const { keys } = openKeys([{ name: 'set', secret: 'a-secret-of-sixteen', role: 'viewer' }]);
    await keys.create('boss', 'admin');
    await expect(keys.revoke('boss')).rejects.toMatchObject({ code: 'last_admin_key' });
    await keys.create('other', 'admin');
    await keys.revoke('boss');
    const { keys: withAdmin } = openKeys([{ name: 'set', secret: 'a-secret-of-sixteen', role: 'admin' }]);
    await withAdmin.create('boss', 'admin');
    await withAdmin.revoke('boss');
    expect(await withAdmin.list()).toMatchObject([{ name: 'set' }]);
  });
});

describe('the page after the sign-in', () => {
  it.each([
    ['/dashboard', '/dashboard'],
    ['/dashboard/', '/dashboard/'],
    [
      '/dashboard/payments?status=FAILED&search=a%20b#top',
      '/dashboard/payments?status=FAILED&search=a%20b#top',
    ],
    ['/dashboard?x=https://evil.example', '/dashboard?x=https://evil.example'],
    ['/dashboard//evil.example', '/dashboard//evil.example'],
  ])('is a path of the dashboard: %s', (given, path) => {
    expect(nextPath(given)).toBe(path);
  });

  it.each([
    '',
    '/',
    'dashboard',
    '/dashboards',
    '/api/payments',
    '//evil.example/dashboard',
    '/\\evil.example/dashboard',
    '/dashboard\\..\\..\\evil',
    'https://evil.example/dashboard',
    'javascript:alert(1)',
    '/dashboard/../api/payments',
    '/dashboard/%2e%2e/api/payments',
    '/dashboard/..//evil.example',
    '/dashboard/\r\nset-cookie: x=1',
    '/dashboard/\tx',
    '\t/dashboard',
    '/dashboard@evil.example',
    `/dashboard/${'x'.repeat(2_000)}`,
  ])('is nothing else: %j', (given) => {
    expect(nextPath(given)).toBeNull();
  });
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:0DB8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('key check', () => {
  class Sessions extends SessionKeys {
    hash: string | null = null;
    override async keyHashOf(): Promise<string | null> {
      return this.hash;
    }
  }

  function open() {
    const { store, verifier, clock } = openKeys();
    store.rows = [rowOf('web', 'shop'), rowOf('eva', 'operator')];
    const [sessions, note] = [new Sessions(), jest.fn<NotedUses['noteUse']>()];
    const revokeAll = (): void => {
      store.rows = [];
      clock.advance(2_000);
    };
    const check = new KeyCheck(verifier, verifier, sessions, { noteUse: note } as unknown as NotedUses);
    return { sessions, note, check, revokeAll };
  }

  function rowOf(name: string, role: StoredKey['role']): StoredKey {
    return { name, hash: hashOf(`${name}-secret`).toString('hex'), role, createdAt: new Date(0) };
  }

  function requestWith(headers: Record<string, string> = {}, ip = '::ffff:10.0.0.1'): KeyedRequest {
    return { headers, ip } as unknown as KeyedRequest;
  }

  const EVA = hashOf('eva-secret').toString('hex');

  describe('the key of a request', () => {
    it('is that of its header, with its role, and its use is noted with the address', async () => {
      const { note, check } = open();
      const request = requestWith({ 'x-api-key': 'web-secret' });
      await check.check(request);
      expect(request).toMatchObject({ apiKeyName: 'web', role: 'shop', via: 'api' });
      expect(note.mock.calls).toEqual([[expect.objectContaining({ name: 'web' }), '10.0.0.1']]);
    });

    it('is that of its session where it sends no key', async () => {
      const { sessions, check } = open();
      sessions.hash = EVA;
      const request = requestWith({});
      await check.check(request);
      expect(request).toMatchObject({ apiKeyName: 'eva', role: 'operator', via: 'session' });
      const both = requestWith({ authorization: 'Bearer web-secret' });
      await check.check(both);
      expect(both).toMatchObject({ apiKeyName: 'web', via: 'api' });
    });

    it('is not replaced by a session where it is wrong', async () => {
      const { sessions, note, check } = open();
      sessions.hash = EVA;
      await expect(check.check(requestWith({ 'x-api-key': 'wrong' }))).rejects.toMatchObject({
        code: 'unauthorized',
      });
      expect(note).not.toHaveBeenCalled();
    });

    it('is missed where there is neither, and where the key of the session is revoked', async () => {
      const { revokeAll, sessions, check } = open();
      await expect(check.check(requestWith())).rejects.toThrow('has no API key');
      sessions.hash = EVA;
      revokeAll();
      await expect(check.check(requestWith())).rejects.toThrow('is not known');
    });

    it('is no longer known to a stream once the key is revoked or its session has ended', async () => {
      const { revokeAll, sessions, check } = open();
      sessions.hash = EVA;
      const [ofKey, ofSession] = [requestWith({ 'x-api-key': 'eva-secret' }), requestWith()];
      for (const request of [ofKey, ofSession]) await check.check(request);
      const known = (): Promise<unknown[]> =>
        Promise.all([ofKey, ofSession].map(async (request) => request.isKeyKnown?.()));
      expect(await known()).toEqual([true, true]);
      sessions.hash = null;
      expect(await known()).toEqual([true, false]);
      sessions.hash = EVA;
      revokeAll();
      expect(await known()).toEqual([false, false]);
    });
  });
});
