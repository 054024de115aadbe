import { describe, expect, it } from '@jest/globals';

import { SharedWork } from '../../src/platform/scheduling/shared-work.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';

describe('shared work', () => {
  it('shares a failure, forgets it, and keeps different keys apart', async () => {
    const shared = new SharedWork<number>();
    let runs = 0;
    const work = async (): Promise<number> => {
      runs += 1;
      if (runs === 1) throw new Error('first');
      return runs;
    };
    const both = await Promise.allSettled([shared.run('a', work), shared.run('a', work)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await shared.run('a', work)).toBe(2);
    expect(await Promise.all([shared.run('a', work), shared.run('b', work)])).toEqual([3, 4]);
  });

  it('keeps its result for a while that grows with the time of the work', async () => {
    const clock = new FakeClock();
    let reads = 0;
    let takesMs = 10;
    const read = async (): Promise<number> => {
      clock.advance(takesMs);
      return (reads += 1);
    };
    const shared = new SharedWork<number>({ freshMs: 5_000, timesWork: 50, timers: clock.timers });
    const get = (): Promise<number> => shared.run('a', read);
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    clock.advance(4_999);
    expect(await get()).toBe(1);
    clock.advance(1);
    takesMs = 300;
    expect(await get()).toBe(2);
    clock.advance(14_999);
    expect(await get()).toBe(2);
    clock.advance(1);
    expect(await get()).toBe(3);
    expect(await shared.run('b', read)).toBe(4);
  });

  it('keeps no failure', async () => {
    let isDown = true;
    const read = async (): Promise<string> => {
      if (isDown) throw new Error('connection lost');
      return 'read';
    };
    const shared = new SharedWork<string>({ freshMs: 5_000, timesWork: 50, timers: new FakeClock().timers });
    await expect(shared.run('a', read)).rejects.toThrow('connection lost');
    isDown = false;
    expect(await shared.run('a', read)).toBe('read');
  });
});
