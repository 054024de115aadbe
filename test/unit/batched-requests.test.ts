import { setImmediate as nextTurn } from 'node:timers/promises';

import { beforeEach, expect, it } from '@jest/globals';

import { Batcher, REQUESTS } from '../../src/platform/scheduling/batcher.ts';

const AWAY = new Error('away');

/** The groups as they were worked on, and how each ends. */
let worked: string[][] = [];
let release: () => void = () => undefined;
let isHeld = false;

beforeEach(() => {
  worked = [];
  isHeld = false;
});

function groups(faulty: readonly string[] = []): Batcher<string, string> {
  const work = async (items: readonly string[]): Promise<string[]> => {
    worked.push([...items]);
    if (isHeld) await new Promise<void>((resolve) => (release = resolve));
    if (items.includes('away')) throw AWAY;
    const fault = items.find((item) => faulty.includes(item));
    if (fault !== undefined) throw new Error(fault);
    return items.map((item) => `${item}!`);
  };
  return new Batcher(work, { ...REQUESTS, failsAll: (error) => error === AWAY, keyOf: (item) => item });
}

it('works on one alone at once, and then in one go on what came meanwhile', async () => {
  const all = groups();
  isHeld = true;
  const first = all.add('a');
  await nextTurn();
  expect(worked).toEqual([['a']]);
  const others = ['b', 'c'].map((item) => all.add(item));
  isHeld = false;
  release();
  expect(await Promise.all([first, ...others])).toEqual(['a!', 'b!', 'c!']);
  expect(worked).toEqual([['a'], ['b', 'c']]);
  expect(await all.add('d')).toBe('d!');
});

it('takes what comes in one turn as a group, no two of one key and no more than fifty', async () => {
  const all = groups();
  const items = ['a', 'a', ...Array.from({ length: 60 }, (_, n) => String(n)), 'a'];
  expect(await Promise.all(items.map((item) => all.add(item)))).toEqual(items.map((item) => `${item}!`));
  expect(worked.map(({ length }) => length)).toEqual([50, 12, 1]);
  expect(worked.map((group) => group.filter((item) => item === 'a').length)).toEqual([1, 1, 1]);
});

it('lets only the faulty one of a group fail, and goes on meanwhile', async () => {
  const all = groups(['b']);
  const ended = await Promise.allSettled(['a', 'b', 'c'].map((item) => all.add(item)));
  expect(ended.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual([
    'a!',
    'Error: b',
    'c!',
  ]);
  expect(worked).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
});

it('tries none of a group again that failed as a whole', async () => {
  const all = groups();
  const ended = await Promise.allSettled(['a', 'away'].map((item) => all.add(item)));
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(worked).toEqual([['a', 'away']]);
  expect(await all.add('b')).toBe('b!');
});

it('begins the next group beside one that takes long', async () => {
  let pass: () => void = () => undefined;
  const timers = { nowMs: () => 0, after: (_ms: number, act: () => void) => ((pass = act), () => undefined) };
  const ends = new Map<string, () => void>();
  const all = new Batcher<string, string>(
    async (items) => {
      await new Promise<void>((resolve) => ends.set(String(items), resolve));
      return items;
    },
    { ...REQUESTS, timers },
  );
  const first = all.add('a');
  await nextTurn();
  const second = all.add('b');
  await nextTurn();
  expect([...ends.keys()]).toEqual(['a']);
  pass();
  await nextTurn();
  expect([...ends.keys()]).toEqual(['a', 'b']);
  ends.get('b')?.();
  expect(await second).toBe('b');
  ends.get('a')?.();
  expect(await first).toBe('a');
});
