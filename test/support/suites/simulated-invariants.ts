import { describe, expect, it } from '@jest/globals';

import { readOptions, type SimulationOptions } from '../../../tools/simulation/options.ts';
import { simulate, type Run } from '../../../tools/simulation/run.ts';

/** How much is simulated. */
export interface SimulationScale {
  readonly payments: number;
  /** How long these payments come. */
  readonly minutes: number;
  /** … and how long these payments are open, where some are open at any time. */
  readonly openMinutes: number;
  readonly watchMinutes: number;
  /** How many of the three seeds run for each kind of run. */
  readonly seeds: 1 | 3;
}

/** The invariants of a simulated Paybell, with any limit and seed. */
export function invariantsHold({
  payments,
  minutes,
  openMinutes,
  watchMinutes,
  seeds,
}: SimulationScale): void {
  const run = (given: Partial<SimulationOptions>): Promise<Run> =>
    simulate({ ...readOptions([]), minutes, payments, watchMinutes, ...given });

  describe('the invariants', () => {
    it.each([1, 2, 3].slice(0, seeds))(
      'hold without a limit, through outages and spells of 429 (seed %d)',
      async (seed) => {
        const { invariants, missed, lives } = await run({ seed });
        expect(invariants.breaches).toEqual([]);
        expect(lives).toHaveLength(payments);
        expect(invariants.hottestCatchUp).toBeGreaterThan(0);
        expect(missed.paybell).toBeLessThan(missed.fixed);
      },
    );

    const limits = [
      { rpm: 60, seed: 2 },
      { rpm: 200, seed: 1 },
      { rpm: 10, seed: 3 },
    ];
    it.each(limits.slice(0, seeds))('hold at $rpm requests a minute (seed $seed)', async ({ rpm, seed }) => {
      const { invariants, paybell } = await run({ rpm, seed });
      expect(invariants.breaches).toEqual([]);
      expect(paybell.busiestMinute).toBeLessThanOrEqual(rpm);
    });

    const loads = [
      { open: 120, seed: 5 },
      { open: 60, seed: 4 },
      { open: 300, seed: 6 },
    ];
    it.each(loads.slice(0, seeds))(
      'hold with $open open at any time and 200 requests a minute (seed $seed)',
      async ({ open, seed }) => {
        const { invariants } = await run({ open, rpm: 200, seed, minutes: openMinutes });
        expect(invariants.breaches).toEqual([]);
        expect(invariants.longestWaitMs).toBeGreaterThan(0);
      },
    );
  });
}
