import { describe, expect, it } from '@jest/globals';

import { CHANGES, delaysOf } from '../../tools/simulation/delays.ts';
import { readOptions } from '../../tools/simulation/options.ts';
import { simulate } from '../../tools/simulation/run.ts';
import { invariantsHold } from '../support/suites/simulated-invariants.ts';

invariantsHold({ payments: 1_000, minutes: 240, openMinutes: 120, watchMinutes: 1_440 });

describe('Paybell', () => {
  it('finds deposits after the expiry, which the fixed poller has given up', async () => {
    const { paybell, fixed } = await simulate({ ...readOptions([]), payments: 3_000, minutes: 240 });
    const late = delaysOf(paybell, CHANGES.late).count;
    expect(late).toBeGreaterThan(40);
    expect(delaysOf(fixed, CHANGES.late).count).toBeLessThan(late / 4);
  });
});
