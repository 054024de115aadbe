import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { minGapMs, stalledAfterMs, urgencyRules } from '../../src/domain/polling/urgency-rules.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';

const TIMES = {
  pollIntervalMs: 7_000,
  pollMinGapMs: 5_000,
  lateWatchMs: 86_400_000,
  stalledAfterMs: 900_000,
  speed: 1,
};

describe('the intervals that follow from the settings', () => {
  it('are those of the documentation by default', () => {
    expect(urgencyRules(TIMES)).toEqual(URGENCY_RULES);
    expect([stalledAfterMs(TIMES), minGapMs(TIMES)]).toEqual([900_000, 5_000]);
  });

  it('poll money in flight at 0.7 of the interval, where the gap allows it', () => {
    expect(urgencyRules({ ...TIMES, pollIntervalMs: 20_000 }).inFlightMs).toBe(14_000);
    expect(urgencyRules({ ...TIMES, pollIntervalMs: 1_000 })).toMatchObject({
      pollIntervalMs: 5_050,
      inFlightMs: 5_050,
    });
  });

  it('leave a claim 20 ms to wait for its request, however short the gap is', () => {
    const gapOf = (pollMinGapMs: number): number => urgencyRules({ ...TIMES, pollMinGapMs }).gapMs;
    expect([0, 100, 1_500, 2_000, 3_000].map(gapOf)).toEqual([0, 120, 1_520, 2_020, 3_030]);
  });

  it('are divided by the speed of the sandbox, to the nearest millisecond', () => {
    const times = fc.record({
      pollIntervalMs: fc.integer({ min: 1_000, max: 60_000 }),
      pollMinGapMs: fc.integer({ min: 100, max: 60_000 }),
      lateWatchMs: fc.integer({ min: 1_000, max: 86_400_000 }),
      stalledAfterMs: fc.integer({ min: 1_000, max: 86_400_000 }),
    });
    const all = (given: typeof TIMES): number[] => [
      ...Object.values(urgencyRules(given)),
      stalledAfterMs(given),
      minGapMs(given),
    ];
    fc.assert(
      fc.property(times, fc.double({ min: 0.1, max: 50, noNaN: true }), (given, speed) => {
        const usual = all({ ...given, speed: 1 });
        // At speed 1 they are rounded too.
        const slack = (each: number): number => 0.5 + 0.5 / speed + each * 1e-9;
        for (const [at, fast] of all({ ...given, speed }).entries()) {
          const exact = (usual[at] ?? Number.NaN) / speed;
          expect(Number.isInteger(fast)).toBe(true);
          expect(Math.abs(fast - exact)).toBeLessThanOrEqual(slack(exact));
        }
      }),
    );
    expect(urgencyRules({ ...TIMES, speed: 7 })).toMatchObject({
      watchFromMs: 4_286,
      lateWatchMs: 12_342_857,
    });
    expect(urgencyRules({ ...TIMES, speed: 11 })).toEqual({
      gapMs: 459,
      pollIntervalMs: 636,
      inFlightMs: 459,
      attendedMs: 8_182,
      lateWatchMs: 7_854_545,
      watchFromMs: 2_727,
      watchUpToMs: 3_927_273,
    });
    expect(urgencyRules({ ...TIMES, pollMinGapMs: 100, speed: 12 })).toMatchObject({
      gapMs: 10,
      inFlightMs: 408,
    });
    expect(urgencyRules({ ...TIMES, speed: 9 }).pollIntervalMs).toBe(778);
    expect(urgencyRules({ ...TIMES, lateWatchMs: 10_007, speed: 2 }).lateWatchMs).toBe(5_004);
    expect(stalledAfterMs({ ...TIMES, speed: 0.7 })).toBe(1_285_714);
    expect(stalledAfterMs({ ...TIMES, stalledAfterMs: 1_001, speed: 2 })).toBe(501);
    expect(minGapMs({ ...TIMES, pollMinGapMs: 1_001, speed: 2 })).toBe(501);
  });
});
