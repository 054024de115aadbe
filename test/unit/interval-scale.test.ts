import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { claimSlackMs, scaleUpToMs } from '../../src/domain/polling/spacing.ts';
import {
  NO_SCALE,
  scaleFor,
  type Demand,
  type IntervalScale,
} from '../../src/domain/polling/interval-scale.ts';
import { isShort, sayShortBudget, shortBudget } from '../../src/domain/polling/short-budget.ts';
import { URGENCY } from '../../src/domain/polling/urgency.ts';
import { urgencyRules } from '../../src/domain/polling/urgency-rules.ts';
import { scaledMs } from '../support/schedule-rules.ts';

const INTERVAL_MS = 7_000;
const URGENCY_RULES = urgencyRules({
  pollIntervalMs: INTERVAL_MS,
  pollMinGapMs: 5_000,
  lateWatchMs: 86_400_000,
  stalledAfterMs: 900_000,
  speed: 1,
});
const STARVED_S = (10 * INTERVAL_MS) / 1_000;
const MOST = 10_000;

/** The demand of payments at their usual intervals; of watched ones at half an hour. */
function demandOf(inFlight: number, attended: number, unattended: number, watching: number): Demand[] {
  return [
    { urgency: URGENCY.inFlight, payments: inFlight, perSecond: inFlight / 5 },
    { urgency: URGENCY.attended, payments: attended, perSecond: attended / 7 },
    { urgency: URGENCY.unattended, payments: unattended, perSecond: unattended / 7 },
    { urgency: URGENCY.watching, payments: watching, perSecond: watching / 1_800 },
  ];
}

function rateOf(demand: readonly Demand[], scale: IntervalScale): number {
  return demand.reduce((sum, { urgency, perSecond }) => sum + perSecond / scale[urgency], 0);
}

const payments = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 100_000 }));
const anyDemand = fc.tuple(payments, payments, payments, payments).map((counts) => demandOf(...counts));
const anyBudget = fc.oneof(
  fc.double({ min: 0, max: 10, noNaN: true }),
  fc.double({ min: 0, max: 50_000, noNaN: true }),
);

describe('what is scaled', () => {
  it('is nothing while the budget suffices, or without one', () => {
    const demand = demandOf(10, 10, 10, 10);
    expect(scaleFor(demand, Number.POSITIVE_INFINITY, INTERVAL_MS)).toBe(NO_SCALE);
    expect(scaleFor(demand, 100, INTERVAL_MS)).toBe(NO_SCALE);
    expect(scaleFor([], 0.001, INTERVAL_MS)).toBe(NO_SCALE);
  });

  it('is always a number from 1 up, for no and for tiny budgets too', () => {
    fc.assert(
      fc.property(anyDemand, anyBudget, (demand, budget) => {
        const scale = scaleFor(demand, budget, INTERVAL_MS);
        const outOfRange = scale.filter((factor) => !(factor >= 1 && factor <= MOST));
        expect([scale.length, outOfRange]).toEqual([4, []]);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it('is a number also where only the late watch is left, and wants more than the budget', () => {
    expect(scaleFor(demandOf(0, 0, 0, 1_000), 0.01, INTERVAL_MS)).toEqual([
      1,
      1,
      1,
      expect.closeTo(1_000 / 1_800 / 0.0097),
    ]);
  });

  it('fits the polls to the budget less a reserve of 3 %, as long as a poll of each payment within a day does', () => {
    fc.assert(
      fc.property(anyDemand, anyBudget, (demand, budget) => {
        const scale = scaleFor(demand, budget, INTERVAL_MS);
        const isFitted = scale.every((factor) => factor < MOST);
        if (isFitted) expect(rateOf(demand, scale)).toBeLessThanOrEqual(budget * 0.970_001);
      }),
      { seed: 2, numRuns: 2_000 },
    );
  });

  it('leaves no open payment for more than ten intervals while a round of all fits into that time', () => {
    fc.assert(
      fc.property(anyDemand, fc.double({ min: 0.01, max: 0.7, noNaN: true }), (demand, share) => {
        const open = demand.slice(0, 3).reduce((sum, { payments: count }) => sum + count, 0);
        const budget = open / (share * STARVED_S);
        const [inFlight, attended, unattended] = scaleFor(demand, budget, INTERVAL_MS);
        expect(Math.max(inFlight * 5, attended * 7, unattended * 7)).toBeLessThanOrEqual(STARVED_S);
      }),
      { seed: 3, numRuns: 2_000 },
    );
  });

  it('is less with a larger budget, for every class, while a round fits', () => {
    fc.assert(
      fc.property(
        anyDemand,
        fc.double({ min: 0.01, max: 0.7, noNaN: true }),
        fc.double({ min: 1, max: 10, noNaN: true }),
        (demand, share, more) => {
          const open = demand.slice(0, 3).reduce((sum, { payments: count }) => sum + count, 0);
          const budget = open / (share * STARVED_S);
          const small = scaleFor(demand, budget, INTERVAL_MS);
          const large = scaleFor(demand, budget * more, INTERVAL_MS);
          const larger = large.filter((factor, index) => !(factor <= (small[index] ?? 0) * 1.000_001));
          expect(larger).toEqual([]);
        },
      ),
      { seed: 4, numRuns: 2_000 },
    );
  });

  it('is never more for the more pressing ones', () => {
    fc.assert(
      fc.property(anyDemand, anyBudget, (demand, budget) => {
        const [inFlight, attended, unattended] = scaleFor(demand, budget, INTERVAL_MS);
        const counted = demand.every(({ payments: count }) => count > 0);
        if (!counted) return;
        expect(inFlight * 5).toBeLessThanOrEqual(attended * 7 * 1.000_001);
        expect(attended).toBeLessThanOrEqual(unattended * 1.000_001);
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });

  it('is the late watch first, then what nobody attends to', () => {
    const watched = scaleFor(demandOf(10, 10, 10, 20_000), 10, INTERVAL_MS);
    expect(watched.slice(0, 3)).toEqual([1, 1, 1]);
    expect(watched[3]).toBeGreaterThan(1);
    const short = scaleFor(demandOf(5, 5, 40, 100), 5, INTERVAL_MS);
    expect(short.slice(0, 2)).toEqual([1, 1]);
    expect(short[2]).toBeGreaterThan(1);
  });

  it('leaves the late watch a share of the shortest budget', () => {
    const demand = demandOf(1_000, 1_000, 1_000, 100_000);
    const [, , , watching] = scaleFor(demand, 3, INTERVAL_MS);
    expect(100_000 / 1_800 / watching).toBeGreaterThan(0.1);
  });

  it('ignores the rest that sums leave behind where a class is empty', () => {
    const demand = demandOf(0, 500, 100, 0).map((each) =>
      each.payments === 0 ? { ...each, perSecond: 1e-15 } : each,
    );
    const [inFlight, , , watching] = scaleFor(demand, 3, INTERVAL_MS);
    expect([inFlight, watching]).toEqual([1, 1]);
  });
});

describe('a budget that is too short', () => {
  /** 3 % of the budget stay free. */
  const USED = 0.97;
  /** Polls a second that each class gets in the end. */
  const ratesOf = (demand: readonly Demand[], budget: number): number[] => {
    const scale = scaleFor(demand, budget, INTERVAL_MS);
    return demand.map(({ urgency, perSecond }) => perSecond / scale[urgency]);
  };
  /** The polls a second that poll `count` payments once in 9.3 intervals. */
  const roundOf = (count: number): number => count / (9.3 * 7);

  it('is used up', () => {
    for (const budget of [0.5, 3, 8, 25, 50])
      expect(ratesOf(demandOf(100, 100, 100, 9_000), budget).reduce((sum, rate) => sum + rate)).toBeCloseTo(
        budget * USED,
        9,
      );
  });

  it('gives the late watch what the open payments leave, and a twentieth at least', () => {
    const [inFlight = 0, attended = 0, unattended = 0, watch = 0] = ratesOf(demandOf(10, 14, 14, 20_000), 10);
    expect([inFlight, attended, unattended]).toEqual([2, 2, 2]);
    expect(watch).toBeCloseTo(10 * USED - 6);
    expect(ratesOf(demandOf(100, 100, 100, 9_000), 6)[3]).toBeCloseTo(6 * USED * 0.05);
    expect(ratesOf(demandOf(100, 100, 100, 18), 6)[3]).toBeCloseTo(0.01);
  });

  it('gives each payment its round first, and divides the rest by weight', () => {
    const rest = ratesOf(demandOf(100, 100, 100, 0), 10).map((rate) => rate - roundOf(100));
    expect(rest[0]).toBeCloseTo((10 * USED - 3 * roundOf(100)) / 1.5);
    expect((rest[1] ?? 0) / (rest[0] ?? 0)).toBeCloseTo(0.35);
    expect((rest[2] ?? 0) / (rest[0] ?? 0)).toBeCloseTo(0.15);
  });

  it('leaves to the others what a class does not need of its part', () => {
    const [inFlight = 0, attended = 0, unattended = 0] = ratesOf(demandOf(10, 100, 100, 0), 15);
    expect(inFlight).toBeCloseTo(2);
    const rest = 15 * USED - 2 - 2 * roundOf(100);
    expect(attended - roundOf(100)).toBeCloseTo((rest * 0.35) / 0.5);
    expect(unattended - roundOf(100)).toBeCloseTo((rest * 0.15) / 0.5);
  });

  it('slows all classes evenly while it is a little too short for a round', () => {
    const budget = (3 * roundOf(100)) / USED / 1.04;
    for (const rate of ratesOf(demandOf(100, 100, 100, 0), budget).slice(0, 3))
      expect(rate).toBeCloseTo(roundOf(100) / 1.04);
  });

  it('is divided by weight alone when it is much too short, and by both ways in between', () => {
    const round = 3 * roundOf(100);
    const byWeight = (rate: number): number[] => [rate / 1.5, (rate * 0.35) / 1.5, (rate * 0.15) / 1.5, 0];
    const much = ratesOf(demandOf(100, 100, 100, 0), round / USED / 1.4);
    much.forEach((rate, index) => expect(rate).toBeCloseTo(byWeight(round / 1.4)[index] ?? 0));
    const between = ratesOf(demandOf(100, 100, 100, 0), round / USED / 1.225);
    between
      .slice(0, 3)
      .forEach((rate, index) =>
        expect(rate).toBeCloseTo((roundOf(100) / 1.225 + (byWeight(round / 1.225)[index] ?? 0)) / 2),
      );
  });

  it('polls each payment at a ten-thousandth of its rate in the end', () => {
    expect(scaleFor(demandOf(100, 100, 100, 100), 0, INTERVAL_MS)).toEqual([MOST, MOST, MOST, MOST]);
  });
});

describe('a scaled interval', () => {
  const upToMs = scaleUpToMs(URGENCY_RULES);

  it('is the interval itself with a scale of 1', () => {
    for (const urgency of Object.values(URGENCY))
      expect(scaledMs(6_500, urgency, NO_SCALE, upToMs)).toBe(6_500);
  });

  it('is never shorter than the interval, and a wait beyond the usual is not multiplied', () => {
    const scale: IntervalScale = [3, 3, 3, 3];
    expect(scaledMs(5_000, URGENCY.inFlight, scale, upToMs)).toBe(15_000);
    expect(scaledMs(60_000, URGENCY.attended, scale, upToMs)).toBe(74_000);
    expect(scaledMs(60_000, URGENCY.unattended, scale, upToMs)).toBe(74_000);
    expect(scaledMs(60_000, URGENCY.inFlight, scale, upToMs)).toBe(60_000 + 2 * 5_050);
    expect(scaledMs(60_000, URGENCY.watching, scale, upToMs)).toBe(180_000);
  });
});

describe('the wait for a turn', () => {
  it('is longer the less pressing a class is, an interval at most for open payments', () => {
    expect(claimSlackMs(INTERVAL_MS)).toEqual([0, 3_500, 7_000, 420_000]);
  });
});

describe('a round that fits into ten intervals', () => {
  it.each([20, 120, 170, 190, 205])(
    'is made in that time with %i payments at 200 requests a minute',
    (open) => {
      const [inFlight, attended] = [Math.round(open * 0.1), Math.round(open * 0.05)];
      const demand = demandOf(inFlight, attended, open - inFlight - attended, 0);
      // The number that the rate limit lets through of 200 a minute.
      const scale = scaleFor(demand, 197 / 62.5, INTERVAL_MS);
      for (const { urgency, payments, perSecond } of demand.filter(({ payments }) => payments > 0))
        expect((payments / perSecond) * scale[urgency]).toBeLessThanOrEqual(STARVED_S);
    },
  );
});

describe('a budget that is too small', () => {
  const said = (
    demand: readonly Demand[],
    scale: IntervalScale,
    batchSize = 1,
    ownRpm = 0,
  ): string | null => {
    const short = shortBudget(demand, scale, { batchSize, ownRpm, hasPerMinute: 5.8 });
    return short === null ? null : sayShortBudget(short);
  };

  it.each<[what: string, demand: Demand[], scale: IntervalScale, said: string | null]>([
    [
      'of 70 payments in each class',
      demandOf(70, 70, 70, 0),
      [3, 61, 115, 1],
      'a deposit is noticed after about 7 min; it needs 2040 requests a minute and has 6',
    ],
    [
      'without a payer who looks',
      demandOf(0, 0, 70, 9),
      [1, 61, 115, 9],
      'a deposit is noticed after about 13 min; it needs 600 requests a minute and has 6',
    ],
    [
      'with payments past their deposit alone',
      demandOf(70, 0, 0, 0),
      [3, 1, 1, 1],
      'a completion is noticed after about 15 s; it needs 840 requests a minute and has 6',
    ],
    ['that still does for each class', demandOf(70, 70, 70, 70), [2, 4, 10, 999], null],
    ['for classes without a payment', demandOf(70, 0, 0, 70), [1, 61, 115, 9], null],
  ])('%s', (_what, demand, scale, words) => {
    expect(said(demand, scale)).toBe(words);
    expect(isShort(scale)).toBe(words !== null || scale[1] > 4);
  });

  it('counts requests, and not payments, and those of the adapter itself', () => {
    expect(said(demandOf(0, 70, 0, 0), [1, 30, 1, 1], 50, 2)).toBe(
      'a deposit is noticed after about 4 min; it needs 14 requests a minute and has 6',
    );
  });
});
