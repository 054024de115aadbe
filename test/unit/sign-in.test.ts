import { describe, expect, it } from '@jest/globals';

import { nextPath } from '../../src/features/sessions/sign-in-form.ts';
import { SignInThrottle, TooManySignIns } from '../../src/features/sessions/sign-in-throttle.ts';
import { WrongTries } from '../../src/features/sessions/wrong-tries.ts';
import { networkOf } from '../../src/platform/http/client-address.ts';
import { KnownKeys, type KnownKey } from '../../src/ports/api-keys.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';

const KEY: KnownKey = { name: 'ops', hash: Buffer.alloc(32), role: 'operator' };
const HERE = '203.0.113.7';
const THERE = '198.51.100.1';

class OneKey extends KnownKeys {
  isDown = false;
  asked = 0;
  override async keyOf(secret: string): Promise<KnownKey | null> {
    this.asked += 1;
    if (this.isDown) throw new StoreUnavailable();
    return secret === 'right' ? KEY : null;
  }
  override async keyOfHash(): Promise<KnownKey | null> {
    return null;
  }
  override async keyWhere(): Promise<KnownKey | null> {
    return null;
  }
  override async isStillKnown(): Promise<boolean> {
    return false;
  }
}

function setUp(): {
  keys: OneKey;
  clock: FakeClock;
  attempt: (secret: string, address?: string) => Promise<unknown>;
} {
  const [keys, clock] = [new OneKey(), new FakeClock()];
  const throttle = new SignInThrottle(keys, clock.timers);
  // The key's name, `wrong`, or how long to wait.
  const attempt = async (secret: string, address = HERE): Promise<unknown> => {
    try {
      return (await throttle.keyOf(secret, address))?.name ?? 'wrong';
    } catch (error) {
      if (error instanceof TooManySignIns) return error.retryAfterMs;
      throw error;
    }
  };
  return { keys, clock, attempt };
}

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

describe('wrong API keys', () => {
  it('cost nothing four times, and then a wait that doubles up to a minute', async () => {
    const { clock, attempt } = setUp();
    for (let count = 0; count < 5; count += 1) expect(await attempt(`guess ${count}`)).toBe('wrong');
    const waits: unknown[] = [];
    for (let count = 5; count < 14; count += 1) {
      const waitMs = await attempt('guess');
      waits.push(waitMs);
      clock.advance(Number(waitMs) - 1);
      expect(await attempt('guess')).toBe(1);
      clock.advance(1);
      expect(await attempt(`guess ${count}`)).toBe('wrong');
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('are forgotten a minute after their wait', async () => {
    const { clock, attempt } = setUp();
    for (let count = 0; count < 5; count += 1) await attempt(`guess ${count}`);
    clock.advance(61_000);
    for (let count = 0; count < 5; count += 1) expect(await attempt(`other ${count}`)).toBe('wrong');
    expect(await attempt('guess')).toBe(1_000);
  });

  it('make their address wait before the key is looked at, a right one too', async () => {
    const { keys, attempt } = setUp();
    for (let count = 0; count < 5; count += 1) await attempt(`guess ${count}`);
    const { asked } = keys;
    expect(await attempt('right')).toBe(1_000);
    expect(keys.asked).toBe(asked);
  });

  it('of one address hold no other one back, unless it is of the same IPv6 network', async () => {
    const { attempt } = setUp();
    for (let count = 0; count < 5; count += 1) await attempt(`guess ${count}`, `2001:db8::${count}`);
    expect(await attempt('right', '2001:db8::99')).toBe(1_000);
    expect(await attempt('right', '2001:db8:0:1::1')).toBe('ops');
    expect(await attempt('right', THERE)).toBe('ops');
  });

  it('that are one and the same key are slowed down from wherever they come', async () => {
    const { attempt } = setUp();
    for (let count = 0; count < 5; count += 1)
      expect(await attempt('leaked', `10.0.0.${count}`)).toBe('wrong');
    expect(await attempt('leaked', THERE)).toBe(1_000);
    expect(await attempt('another', THERE)).toBe('wrong');
    expect(await attempt('right', THERE)).toBe('ops');
  });

  it('that come all at once are not more than those that come one after another', async () => {
    const { keys, attempt } = setUp();
    const results = await Promise.all(
      Array.from({ length: 50 }, (_none, count) => attempt(`guess ${count}`)),
    );
    expect(results.filter((result) => result === 'wrong')).toHaveLength(5);
    expect(keys.asked).toBe(5);
  });

  it('do not count while the database is away, when nobody knows whether they are wrong', async () => {
    const { keys, attempt } = setUp();
    keys.isDown = true;
    for (let count = 0; count < 8; count += 1)
      await expect(attempt('right')).rejects.toThrow(StoreUnavailable);
    keys.isDown = false;
    expect(await attempt('right')).toBe('ops');
  });

  it('do not count with right ones, however many these are', async () => {
    const { attempt } = setUp();
    for (let count = 0; count < 20; count += 1) expect(await attempt('right')).toBe('ops');
  });

  it('are remembered of so many sources only: the least recently seen is forgotten first', () => {
    const clock = new FakeClock();
    const tries = new WrongTries(clock.timers, 3);
    const sources = ['a', 'b', 'a', 'c', 'd'];
    for (const source of sources) for (let count = 0; count < 5; count += 1) tries.end(source, true);
    expect(tries.size).toBe(3);
    expect(sources.map((source) => tries.waitMs(source) > 0)).toEqual([true, false, true, true, true]);
  });
});
