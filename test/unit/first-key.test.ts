import { createHash } from 'node:crypto';

import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { EnvKeys } from '../../src/features/api-keys/env-keys.ts';
import { FirstKey, FirstKeySettings, KeyDisplay } from '../../src/features/api-keys/first-key.ts';
import { ApiKeyVerifier } from '../../src/features/api-keys/api-key-verifier.ts';
import { ApiKeys, type StoredKey } from '../../src/ports/api-keys.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';

class SharedStore extends ApiKeys {
  readonly hashes = new Map<string, string>();
  override async list(): Promise<StoredKey[]> {
    return [...this.hashes].map(([name, hash]) => ({ name, hash, role: 'admin', createdAt: new Date(0) }));
  }
  override async addKey(name: string, hash: string): Promise<boolean> {
    await Promise.resolve();
    if (this.hashes.has(name)) return false;
    this.hashes.set(name, hash);
    return true;
  }
  override async remove(name: string): Promise<boolean> {
    return this.hashes.delete(name);
  }
  override async removeUnlessLastAdmin(): Promise<'unknown'> {
    return 'unknown';
  }
}

class Screen extends KeyDisplay {
  text = '';
  override show(text: string): void {
    this.text += text;
  }
}

function replica(store: ApiKeys, env: ConstructorParameters<typeof EnvKeys>[0] = null) {
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
    const store = new SharedStore();
    const { first, wake, screen } = replica(store);
    await first.ensureKey();
    const [secret = ''] = screen.text.match(KEY) ?? [];
    expect(secret).toHaveLength(46);
    expect([...store.hashes]).toEqual([['default', createHash('sha256').update(secret).digest('hex')]]);
    expect(await wake.keyOf(secret)).toMatchObject({ name: 'default', role: 'admin' });
    expect(screen.text).toContain('shown only now');
    expect(screen.text).toContain('x-api-key: KEY');
    expect(screen.text).toContain('Authorization: Bearer KEY');
    expect(screen.text).toContain('Sign in to the dashboard with it:   http://127.0.0.1:3000/dashboard');
  });

  it('is shown by one of two replicas that start at the same time, and works at both', async () => {
    const store = new SharedStore();
    const [one, other] = [replica(store), replica(store)];
    await Promise.all([one.first.ensureKey(), other.first.ensureKey()]);
    const shown = `${one.screen.text}${other.screen.text}`.match(KEY) ?? [];
    expect(shown).toHaveLength(1);
    expect(await one.wake.keyOf(shown[0] ?? '')).toMatchObject({ name: 'default', role: 'admin' });
    expect(await other.wake.keyOf(shown[0] ?? '')).toMatchObject({ name: 'default', role: 'admin' });
  });

  it('is not made again at the next start', async () => {
    const store = new SharedStore();
    await replica(store).first.ensureKey();
    const again = replica(store);
    await again.first.ensureKey();
    expect(again.screen.text).toBe('');
    expect(store.hashes.size).toBe(1);
  });

  it('is not made when there are keys already, stored or set', async () => {
    const store = new SharedStore();
    await store.addKey('ops', 'aa');
    const stored = replica(store);
    const set = replica(new SharedStore(), [{ name: 'shop', secret: 'a-long-enough-secret' }]);
    await stored.first.ensureKey();
    await set.first.ensureKey();
    expect([stored.screen.text, set.screen.text]).toEqual(['', '']);
  });

  it('goes to the screen and not through the logger', async () => {
    const lines: unknown[] = [];
    for (const level of ['log', 'warn', 'error', 'debug'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation((...args: unknown[]) => void lines.push(args));
    await replica(new SharedStore()).first.ensureKey();
    expect(JSON.stringify(lines)).not.toMatch(KEY);
  });

  it('says which role each set key has, and no secret', async () => {
    const lines: string[] = [];
    jest.spyOn(Logger.prototype, 'log').mockImplementation((message: string) => void lines.push(message));
    const keys = [
      { name: 'web', secret: 'a-long-enough-secret', role: 'shop' as const },
      { name: 'ops', secret: 'another-long-secret' },
    ];
    await replica(new SharedStore(), keys).first.ensureKey();
    expect(lines).toEqual(['API_KEYS has web (shop), ops (admin)']);
  });

  it('warns of a set key that has the name of a stored one', async () => {
    const warnings: string[] = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: string) => void warnings.push(message));
    const store = new SharedStore();
    await store.addKey('web', 'aa');
    await store.addKey('ops', 'bb');
    const set = ['web', 'eva'].map((name) => ({ name, secret: `a-long-enough-secret-of-${name}` }));
    await replica(store, set).first.ensureKey();
    expect(warnings).toEqual([expect.stringContaining('each have an API key named "web"')]);
    expect(warnings[0]).toContain('paybell keys revoke web');
  });

  it('warns of set secrets that can be guessed, by name only', async () => {
    const warnings: string[] = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: string) => void warnings.push(message));
    const keys = [
      { name: 'weak', secret: 'fifteen-letters' },
      { name: 'strong', secret: 'sixteen-letters!' },
    ];
    await replica(new SharedStore(), keys).first.ensureKey();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"weak"');
    expect(warnings[0]).not.toContain('fifteen-letters');
  });
});
