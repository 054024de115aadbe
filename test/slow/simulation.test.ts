import { describe, expect, it } from '@jest/globals';

import { CHANGES, delaysOf } from '../../tools/simulation/delays.ts';
import { readOptions } from '../../tools/simulation/options.ts';
import { simulate } from '../../tools/simulation/run.ts';
import { invariantsHold } from '../support/suites/simulated-invariants.ts';

invariantsHold({ payments: 1_000, minutes: 240, openMinutes: 120, watchMinutes: 1_440, seeds: 3 });

describe('Paybell', () => {
  it('finds deposits after the expiry, which the fixed poller has given up', async () => {
    const { paybell, fixed } = await simulate({ ...readOptions([]), payments: 3_000, minutes: 240 });
    const late = delaysOf(paybell, CHANGES.late).count;
    expect(late).toBeGreaterThan(40);
    expect(delaysOf(fixed, CHANGES.late).count).toBeLessThan(late / 4);
  });

  it('finds changes of money in flight in half the time of a poller that shares a short budget evenly', async () => {
    const short = await simulate({
      ...readOptions([]),
      payments: 1_000,
      watchMinutes: 20,
      open: 300,
      rpm: 200,
      minutes: 45,
    });
    const mine = delaysOf(short.paybell, CHANGES.ofKnownDeposits).meanMs;
    expect(mine).toBeLessThan(0.5 * delaysOf(short.fixed, CHANGES.ofKnownDeposits).meanMs);
    const all = delaysOf(short.paybell, CHANGES.afterDeposit).meanMs;
    expect(all).toBeLessThan(delaysOf(short.fixed, CHANGES.afterDeposit).meanMs);
  });
});
