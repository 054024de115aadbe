import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { EnvKeys, hashOf } from '../../src/features/api-keys/env-keys.ts';
import { KeyThrottle, TooManyWrongKeys } from '../../src/features/api-keys/key-throttle.ts';
import { WrongTries } from '../../src/features/api-keys/wrong-tries.ts';
import { KnownKeys, type KnownKey } from '../../src/ports/api-keys.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { WrongKeys } from '../../src/ports/wrong-keys.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';

const HERE = '203.0.113.7';
const THERE = '198.51.100.1';
/** A key of 16 characters, and a shorter key. */
const [LONG, SHORT] = ['sixteen-or-more-', 'fifteen-or-less'];

/** Like the real keys: the database is asked about a key that the settings do not name. */
class Keys extends KnownKeys {
  isDown = false;
  constructor(private readonly env: EnvKeys) {
    super();
  }
  override async keyOf(secret: string): Promise<KnownKey | null> {
    const known = this.env.keys.find(({ hash }) => hash.equals(hashOf(secret))) ?? null;
    if (known !== null) return known;
    await nextTurn();
    if (this.isDown) throw new StoreUnavailable();
    return null;
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

/** The counts that replicas share. */
class SharedCount extends WrongKeys {
  readonly counts = new Map<string, number>();
  isDown = false;
  calls = 0;
  override async addTries(tries: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    this.calls += 1;
    if (this.isDown) throw new StoreUnavailable();
    for (const [network, wrong] of tries) this.counts.set(network, (this.counts.get(network) ?? 0) + wrong);
    return new Map([...tries.keys()].map((network) => [network, this.counts.get(network) ?? 0]));
  }
}

function setUp(secrets: readonly string[] = [LONG], shared = new SharedCount(), clock = new FakeClock()) {
  const due: (() => void)[] = [];
  const timers: Timers = {
    nowMs: () => clock.timers.nowMs(),
    after: (_ms, act) => {
      due.push(act);
      return () => undefined;
    },
  };
  const env = new EnvKeys(secrets.map((secret) => ({ name: secret, secret })));
  const keys = new Keys(env);
  const throttle = new KeyThrottle(keys, env, shared, timers);
  // The key's name, `wrong`, or how long to wait.
  const attempt = async (secret: string, address: string | null = HERE): Promise<unknown> => {
    try {
      return (await throttle.keyOf(secret, address))?.name ?? 'wrong';
    } catch (error) {
      if (error instanceof TooManyWrongKeys) return error.retryAfterMs;
      throw error;
    }
  };
  const guess = async (count: number, address: string | null = HERE): Promise<unknown[]> => {
    const answers: unknown[] = [];
    for (let at = 0; at < count; at += 1) answers.push(await attempt(`guess ${Math.random()}`, address));
    return answers;
  };
  /** Lets enough time pass for replicas to hear of each other's tries. */
  const tell = async (): Promise<void> => {
    for (const act of due.splice(0)) act();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { keys, clock, shared, due, attempt, guess, tell };
}

describe('wrong API keys', () => {
  it('cost nothing four times, and then a wait that doubles up to a minute', async () => {
    const { clock, attempt, guess } = setUp();
    expect(await guess(5)).toEqual(Array(5).fill('wrong'));
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
    const { clock, guess } = setUp();
    await guess(5);
    clock.advance(61_000);
    expect(await guess(6)).toEqual([...Array<string>(5).fill('wrong'), 1_000]);
  });

  it('hold a right key of 16 characters or more back at no time, however many they are', async () => {
    const { attempt, guess } = setUp();
    expect(await guess(100)).toContain(1_000);
    expect(await attempt(LONG)).toBe(LONG);
  });

  it('do not count with right ones, however many these are', async () => {
    const { attempt } = setUp([LONG, SHORT]);
    for (const secret of [LONG, SHORT])
      for (let count = 0; count < 20; count += 1) expect(await attempt(secret)).toBe(secret);
  });

  it('show no guess of a short key to be right before its turn', async () => {
    const { clock, attempt, guess } = setUp([LONG, SHORT]);
    await guess(5);
    expect([await attempt(SHORT), await attempt('wrong')]).toEqual([1_000, 1_000]);
    expect([await attempt(SHORT, THERE), await attempt(LONG)]).toEqual([SHORT, LONG]);
    clock.advance(1_000);
    expect(await attempt(SHORT)).toBe(SHORT);
  });

  it('hold a short key back at no address that has used it before', async () => {
    const { attempt, guess } = setUp([SHORT]);
    expect(await attempt(SHORT)).toBe(SHORT);
    await guess(100);
    expect(await attempt(SHORT)).toBe(SHORT);
  });

  it('of one address hold no other one back, unless it is of the same IPv6 network', async () => {
    const { attempt } = setUp();
    for (let count = 0; count < 5; count += 1) await attempt(`guess ${count}`, `2001:db8::${count}`);
    expect(await attempt('guess', '2001:db8::99')).toBe(1_000);
    expect(await attempt('guess', '2001:db8:0:1::1')).toBe('wrong');
    expect(await attempt('guess', THERE)).toBe('wrong');
  });

  it('of clients whose proxy names no address count together', async () => {
    const { attempt, guess } = setUp();
    await guess(5, null);
    expect(await attempt('guess', null)).toBe(1_000);
    expect(await attempt('guess', HERE)).toBe('wrong');
  });

  it('that are one and the same key are slowed down from wherever they come', async () => {
    const { attempt } = setUp();
    for (let count = 0; count < 5; count += 1)
      expect(await attempt('leaked', `10.0.0.${count}`)).toBe('wrong');
    expect(await attempt('leaked', THERE)).toBe(1_000);
    expect(await attempt('another', THERE)).toBe('wrong');
  });

  it('that come all at once are not more than those that come one after another', async () => {
    const { attempt } = setUp([SHORT]);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_none, count) => attempt(count === 40 ? SHORT : `guess ${count}`)),
    );
    expect(results.filter((result) => result === 'wrong')).toHaveLength(5);
    expect(results.filter((result) => result === 1_000)).toHaveLength(45);
  });

  it('do not count while the database is away, when nobody knows whether they are wrong', async () => {
    const { keys, attempt, guess } = setUp();
    keys.isDown = true;
    for (let count = 0; count < 8; count += 1)
      await expect(attempt('stored')).rejects.toThrow(StoreUnavailable);
    keys.isDown = false;
    expect(await guess(1)).toEqual(['wrong']);
  });

  it('count then too where a short key could be guessed', async () => {
    const { keys, attempt } = setUp([SHORT]);
    keys.isDown = true;
    for (let count = 0; count < 5; count += 1)
      await expect(attempt(`guess ${count}`)).rejects.toThrow(StoreUnavailable);
    expect([await attempt('guess'), await attempt(SHORT)]).toEqual([1_000, 1_000]);
  });
});

describe('the wrong keys of several replicas', () => {
  it('count together: a replica hears with its first one of those at the others', async () => {
    const one = setUp();
    const other = setUp([LONG], one.shared, one.clock);
    await one.guess(8);
    await one.tell();
    expect(await other.guess(1)).toEqual(['wrong']);
    await other.tell();
    expect(await other.guess(1)).toEqual([2_000]);
    expect(await other.attempt(LONG)).toBe(LONG);
    expect(await other.guess(1, THERE)).toEqual(['wrong']);
  });

  it('are told together, a few times a second, and those that have to wait not at all', async () => {
    const { shared, due, attempt, guess, tell } = setUp();
    await guess(500);
    for (let count = 0; count < 10; count += 1) await attempt(`guess ${count}`, `10.0.0.${count}`);
    expect(due).toHaveLength(1);
    await tell();
    expect([shared.calls, shared.counts.get(HERE), shared.counts.size]).toEqual([1, 5, 11]);
    await guess(500);
    expect(due).toHaveLength(0);
  });

  it('count at each alone while the database is away', async () => {
    const { shared, guess, tell } = setUp();
    shared.isDown = true;
    await guess(2);
    await tell();
    expect(await guess(4)).toEqual(['wrong', 'wrong', 'wrong', 1_000]);
  });
});

describe('the wrong tries of sources', () => {
  it('are remembered of so many only: the least recently seen is forgotten first', () => {
    const tries = new WrongTries(new FakeClock().timers, 3);
    const sources = ['a', 'b', 'a', 'c', 'd'];
    for (const source of sources) for (let count = 0; count < 5; count += 1) tries.addTry(source);
    expect(tries.size).toBe(3);
    expect(sources.map((source) => tries.waitMs(source) > 0)).toEqual([true, false, true, true, true]);
  });
});
