import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { csvOf } from '../../tools/simulation/csv.ts';
import { CHANGES, delaysOf } from '../../tools/simulation/delays.ts';
import { Heap } from '../support/heap.ts';
import { delayWithin } from '../../tools/simulation/limits-table.ts';
import { Invariants, type Watched } from '../../tools/simulation/invariants.ts';
import { endOf, makeLife, type Life } from '../../tools/simulation/lives.ts';
import { readOptions, type SimulationOptions } from '../../tools/simulation/options.ts';
import { Random } from '../../tools/simulation/random.ts';
import { simulate, type Run } from '../../tools/simulation/run.ts';
import { tableOf } from '../../tools/simulation/table.ts';
import { invariantsHold } from '../support/suites/simulated-invariants.ts';

function run(given: Partial<SimulationOptions>): Promise<Run> {
  return simulate({ ...readOptions([]), payments: 1_000, minutes: 240, watchMinutes: 20, ...given });
}

function perPayment({ paybell, fixed, lives }: Run): { mine: number; theirs: number } {
  return {
    mine: paybell.requestsUntilEnd / lives.length,
    theirs: fixed.requestsUntilEnd / lives.length,
  };
}

invariantsHold({ payments: 150, minutes: 45, openMinutes: 15, watchMinutes: 120, seeds: 1 });

describe('a broken invariant', () => {
  const life = makeLife(7, 0, new Random(1));
  const tracked = {
    life,
    polledAt: null,
    isClosed: false,
    isScheduled: true,
    payment: {},
  } as unknown as Watched;

  it('is told when the budget is exceeded in any minute, and when a payment is polled too soon', () => {
    const invariants = new Invariants({ maxRpm: 2, minGapMs: 5_000, pollIntervalMs: 7_000 });
    for (const at of [1_000, 2_000, 60_999]) invariants.polled(tracked, at);
    invariants.polled({ ...tracked, polledAt: 200_000 }, 204_000);
    expect(invariants.breaches).toEqual([
      'budget: 3 requests in the minute to, at 61.0 s',
      'gap: payment 7 again after 4000 ms, at 204.0 s',
    ]);
  });

  it('is told when a payment that is not closed has no next poll, or starves', () => {
    const invariants = new Invariants({ maxRpm: 0, minGapMs: 5_000, pollIntervalMs: 7_000 });
    invariants.budgetIs({ perSecond: 10, open: 1, overdue: 0 }, 0);
    const payment = { tracking: 'active', progressAt: new Date(0) } as Watched['payment'];
    invariants.check([{ ...tracked, payment, isScheduled: false }], 100_000);
    expect(invariants.breaches).toEqual([
      'due: payment 7 has no next poll, at 100.0 s',
      'starved: payment 7 for 100.0 s, at 100.0 s',
    ]);
    expect(invariants.breachCount).toBe(2);
  });
});

describe('Paybell', () => {
  it('finds what happens in EXECUTING sooner than the fixed poller, for hardly more requests', async () => {
    const calm = await run({ payments: 300, minutes: 30, isCalm: true });
    const mine = delaysOf(calm.paybell, CHANGES.outOfExecuting).meanMs;
    expect(mine).toBeLessThan(0.85 * delaysOf(calm.fixed, CHANGES.outOfExecuting).meanMs);
    const requests = perPayment(calm);
    expect(requests.mine).toBeLessThan(1.03 * requests.theirs);
  });
});

describe('a run', () => {
  it('is the same again with the same seed, and another with another', async () => {
    const tables: string[] = [];
    for (const seed of [8, 8, 9]) tables.push(tableOf(await run({ payments: 60, minutes: 60, seed })));
    const [first, again, other] = tables;
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('can be read and seen', async () => {
    const short = await run({ open: 10, rpm: 30, minutes: 30 });
    expect(tableOf(short)).toContain('fixed 7-s poller');
  });

  it('writes each delay, each minute and each trouble as a row of CSV', async () => {
    const short = await run({ open: 10, rpm: 30, minutes: 30 });
    const [head, ...rows] = csvOf(short)
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    expect(head).toEqual(['figure', 'poller', 'of', 'minute', 'value']);
    expect(rows.every((row) => row.length === 5 && Number(row[4]) >= 0)).toBe(true);

    const sum = (figure: string, poller: string): number =>
      rows
        .filter((row) => row[0] === figure && row[1] === poller)
        .reduce((total, row) => total + Number(row[4]), 0);
    const { paybell, fixed, troubles } = short;
    expect(sum('requests', 'paybell')).toBe(paybell.requestsUntilEnd + paybell.requestsAfterEnd);
    expect(sum('requests', 'fixed')).toBe(fixed.requestsUntilEnd + fixed.requestsAfterEnd);
    const delaysMs = paybell.sightings.reduce((total, { delayMs }) => total + Math.round(delayMs), 0);
    expect(sum('delay_ms', 'paybell')).toBe(delaysMs);
    const named = rows.filter(([figure]) => figure === 'trouble_minutes').map(([, , of]) => of);
    expect(named).toEqual(troubles.map(({ label }) => label));
  });
});

describe('the lives', () => {
  const random = new Random(11);
  const lives = Array.from({ length: 20_000 }, (_, id) => makeLife(id, 0, random));

  it('go forward in time, and end', () => {
    const isForward = ({ changes }: Life): boolean =>
      changes.slice(1).every(({ at }, index) => at > (changes[index]?.at ?? 0));
    expect(lives.every(isForward)).toBe(true);
    expect(lives.every((life) => Number.isFinite(endOf(life)))).toBe(true);
  });

  it('are mostly never paid, and a few come late', () => {
    const share = (count: number): number => count / lives.length;
    const expired = lives.filter(({ changes }) => changes[1]?.status === 'EXPIRED');
    const late = expired.filter(({ changes }) => changes.length > 2);
    expect(share(expired.length)).toBeCloseTo(0.61, 1);
    expect(share(late.length)).toBeGreaterThan(0.01);
    expect(share(late.length)).toBeLessThan(0.03);
  });
});

describe('the options', () => {
  it('have defaults', () => {
    expect(readOptions([])).toMatchObject({ payments: 20_000, rpm: 0, open: 0, seed: 1, minutes: 1_440 });
    expect(readOptions(['--open', '300', '--rpm', '200'])).toMatchObject({
      open: 300,
      rpm: 200,
      minutes: 180,
    });
  });

  it.each([
    ['--rpm', '1.5'],
    ['--payments', '0'],
    ['--seed', 'x'],
    ['--colour', 'red'],
  ])('that make no sense are refused: %s %s', (...args) => {
    expect(() => readOptions(args)).toThrow(args[0]);
  });
});

describe('the heap', () => {
  it('gives back in order what was added in any, and equal keys as they came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (keys) => {
        const heap = new Heap<{ key: number; order: number }>();
        keys.forEach((key, order) => heap.add(key, { key, order }));
        const taken = keys.map(() => heap.take());
        const sorted = keys
          .map((key, order) => ({ key, order }))
          .sort((a, b) => a.key - b.key || a.order - b.order);
        expect(taken).toEqual(sorted);
        expect(heap.take()).toBeUndefined();
      }),
      { seed: 1 },
    );
  });
});

describe('a limit of requests', () => {
  const few = { ...readOptions([]), rpm: 60 };

  it('is too few for more payments than it has polls for', async () => {
    expect(await delayWithin({ ...few, open: 300 })).toBe('too few');
    expect(await delayWithin({ ...few, open: 3 })).toMatch(/^\d\.\d\d s \/ \d+(?:\.\d+)? s$/);
  });

  it('is measured on payments that come after the warm-up', async () => {
    const all = await run({ payments: 100, minutes: 60, rpm: 60 });
    const later = await run({ payments: 100, minutes: 60, rpm: 60, warmUpMinutes: 30 });
    const [inAll, inLater] = [all, later].map(({ paybell }) => paybell.sightings.length);
    expect(inLater).toBeGreaterThan(0);
    expect(inLater).toBeLessThan((inAll ?? 0) * 0.75);
  });

  it('lets the quotes live as long as is asked', () => {
    const { createdAt, expiresAt } = makeLife(1, 5_000, new Random(1), 360 * 60_000);
    expect(expiresAt - createdAt).toBe(360 * 60_000);
  });
});
