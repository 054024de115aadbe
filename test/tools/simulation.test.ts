import { describe, expect, it } from '@jest/globals';

import { CHANGES, delaysOf } from '../../tools/simulation/delays.ts';
import { Invariants, type Watched } from '../../tools/simulation/invariants.ts';
import { makeLife } from '../../tools/simulation/lives.ts';
import { readOptions, type SimulationOptions } from '../../tools/simulation/options.ts';
import { Random } from '../../tools/simulation/random.ts';
import { simulate, type Run } from '../../tools/simulation/run.ts';
import { tableOf } from '../../tools/simulation/table.ts';
import { invariantsHold } from '../support/suites/simulated-invariants.ts';

function run(given: Partial<SimulationOptions>): Promise<Run> {
  return simulate({ ...readOptions([]), payments: 1_000, minutes: 240, watchMinutes: 20, ...given });
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
    expect(calm.paybell.requestsUntilEnd).toBeLessThan(1.03 * calm.fixed.requestsUntilEnd);
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
});
