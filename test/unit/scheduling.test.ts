import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { Batcher, RESULTS } from '../../src/platform/scheduling/batcher.ts';
import { WakeSignal } from '../../src/platform/scheduling/wake-signal.ts';
import { Loop } from '../../src/platform/scheduling/loop.ts';
import { VirtualClock } from '../../tools/simulation/virtual-clock.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const never = new AbortController().signal;

async function msOf(work: Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work;
  return performance.now() - from;
}

describe('a wake signal', () => {
  it('wakes whoever waits, and is not lost while nobody does', async () => {
    const wakeSignal = new WakeSignal();
    const waiting = msOf(wakeSignal.wait(10_000, never));
    wakeSignal.wake();
    expect(await waiting).toBeLessThan(1_000);
    wakeSignal.wake();
    expect(await msOf(wakeSignal.wait(10_000, never))).toBeLessThan(1_000);
  });

  it('brings a wake-up forward, never back', async () => {
    const wakeSignal = new WakeSignal();
    const sooner = msOf(wakeSignal.wait(10_000, never));
    wakeSignal.wakeIn(30);
    wakeSignal.wakeIn(5_000);
    expect(await sooner).toBeLessThan(2_000);
    const own = msOf(wakeSignal.wait(20, never));
    wakeSignal.wakeIn(10_000);
    expect(await own).toBeLessThan(2_000);
  });

  it('returns whether it was woken, or the time was over', async () => {
    const wakeSignal = new WakeSignal();
    expect(await wakeSignal.wait(5, never)).toBe(false);
    wakeSignal.wake();
    expect(await wakeSignal.wait(5, never)).toBe(true);
    expect(await wakeSignal.wait(5, never)).toBe(false);
    const waiting = wakeSignal.wait(10_000, never);
    wakeSignal.wake();
    expect(await waiting).toBe(true);
  });

  it('keeps a signal only for one wait, and ends at an abort', async () => {
    const wakeSignal = new WakeSignal();
    wakeSignal.wake();
    await wakeSignal.wait(0, never);
    const stopping = new AbortController();
    const waiting = wakeSignal.wait(60_000, stopping.signal);
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await sleep(20);
    expect(isOver).toBe(false);
    stopping.abort();
    await waiting;
  });
});

describe('a loop', () => {
  it('never runs two rounds at once, and stops after the running one', async () => {
    let running = 0;
    let most = 0;
    let rounds = 0;
    const loop = new Loop('test', new WakeSignal(), async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(5);
      running -= 1;
      rounds += 1;
      return 0;
    });
    loop.start();
    loop.start();
    await waitFor(() => rounds >= 3);
    await loop.stop();
    const ended = rounds;
    await sleep(30);
    expect([most, running, rounds]).toEqual([1, 0, ended]);
  });

  it('goes on after a round that failed', async () => {
    let rounds = 0;
    const loop = new Loop('test', new WakeSignal(), () => {
      rounds += 1;
      return rounds === 1 ? Promise.reject(new Error('no')) : Promise.resolve(10_000);
    });
    loop.start();
    await waitFor(() => rounds === 2);
    await loop.stop();
  });
});

describe('a batcher', () => {
  const passing = new Error('away');
  const policy = { ...RESULTS, isTransient: (error: unknown): boolean => error === passing };

  it('commits what comes together in one group, of a hundred at most', async () => {
    const groups: number[] = [];
    const batcher = new Batcher<number>((items) => Promise.resolve(void groups.push(items.length)), policy);
    await Promise.all(Array.from({ length: 250 }, (_, index) => batcher.add(index)));
    expect(groups).toEqual([100, 100, 50]);
  });

  it('waits out a fault that passes and loses nothing', async () => {
    let failures = 3;
    const committed: number[] = [];
    const batcher = new Batcher<number>((items) => {
      failures -= 1;
      if (failures >= 0) return Promise.reject(passing);
      committed.push(...items);
      return Promise.resolve();
    }, policy);
    await Promise.all([batcher.add(1), batcher.add(2)]);
    expect(committed).toEqual([1, 2]);
  });

  it('shows how long the oldest uncommitted item waits, in the group under way and behind it', async () => {
    let finish: (() => void) | undefined;
    const committing = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    const batcher = new Batcher<number>(committing, policy);
    expect(batcher.waitedMs).toBe(0);
    const first = batcher.add(1);
    await waitFor(() => finish !== undefined);
    await sleep(30);
    expect(batcher.waitedMs).toBeGreaterThanOrEqual(30);
    finish?.();
    await first;
    await waitFor(() => batcher.waitedMs === 0);
  });

  it('gathers each group where it is patient, and does not count that as waiting', async () => {
    const time = new VirtualClock();
    const groups: unknown[] = [];
    const commit = (items: readonly number[]): Promise<void> =>
      Promise.resolve(void groups.push([time.now, ...items]));
    const patient = { ...policy, gatherMs: 100, maxBatch: 3, isPatient: true, timers: time };
    const batcher = new Batcher<number>(commit, patient);
    const waited: number[] = [];
    for (const [item, at] of [0, 0, 150, 180].entries()) time.at(at, () => void batcher.add(item));
    for (const at of [50, 190]) time.at(at, () => waited.push(batcher.waitedMs));
    await time.runSettled(1_000, () => false);
    expect(groups).toEqual([
      [100, 0, 1],
      [200, 2, 3],
    ]);
    expect(waited).toEqual([0, 0]);
  });

  it('lets an item that fails alone fail alone', async () => {
    const committed: number[] = [];
    const batcher = new Batcher<number>((items) => {
      if (items.includes(13)) return Promise.reject(new Error('bad'));
      committed.push(...items);
      return Promise.resolve();
    }, policy);
    const results = await Promise.allSettled([1, 13, 2].map((item) => batcher.add(item)));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(committed).toEqual([1, 2]);
  });

  it('gives up at a stop when the fault does not pass', async () => {
    const batcher = new Batcher<number>(() => Promise.reject(passing), policy);
    const adding = batcher.add(1).then(
      () => 'committed',
      () => 'failed',
    );
    await sleep(20);
    await batcher.drain(50);
    expect(await adding).toBe('failed');
  });
});
