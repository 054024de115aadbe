import { describe, expect, it } from '@jest/globals';

import { CHANGES, delaysOf } from '../../tools/simulation/delays.ts';
import { readOptions } from '../../tools/simulation/options.ts';
import { type Run, simulate } from '../../tools/simulation/run.ts';
import { invariantsHold } from '../support/suites/simulated-invariants.ts';

invariantsHold({ payments: 1_000, minutes: 240, openMinutes: 120, watchMinutes: 1_440, seeds: 3 });

const SHORT_BUDGET = {
  ...readOptions([]),
  payments: 1_000,
  watchMinutes: 20,
  open: 300,
  rpm: 200,
  minutes: 45,
};

describe('Paybell', () => {
  it('finds deposits after the expiry, which the fixed poller has given up', async () => {
    const { paybell, fixed } = await simulate({ ...readOptions([]), payments: 3_000, minutes: 240 });
    const late = delaysOf(paybell, CHANGES.late).count;
    expect(late).toBeGreaterThan(40);
    expect(delaysOf(fixed, CHANGES.late).count).toBeLessThan(late / 4);
  });

  it('finds changes of money in flight in half the time of a poller that shares a short budget evenly', async () => {
    // A single seed depends on the luck of a few payments.
    const runs: Run[] = [];
    for (const seed of [1, 2, 3, 4]) runs.push(await simulate({ ...SHORT_BUDGET, seed }));
    const meanOf = (poller: 'paybell' | 'fixed', changes: Parameters<typeof delaysOf>[1]): number =>
      runs.reduce((sum, run) => sum + delaysOf(run[poller], changes).meanMs, 0) / runs.length;
    const deposits = CHANGES.ofKnownDeposits;
    expect(meanOf('paybell', deposits)).toBeLessThan(0.5 * meanOf('fixed', deposits));
    expect(meanOf('paybell', CHANGES.afterDeposit)).toBeLessThan(meanOf('fixed', CHANGES.afterDeposit));
  });
});
