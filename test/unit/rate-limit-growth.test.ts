import { describe, expect, it } from '@jest/globals';

import {
  areCallersApart,
  burstOf,
  burstOfBudget,
  fullRate,
  INITIAL_RATE_LIMIT,
  isFree,
  latest,
  rateOf,
  untilMs,
  type RateLimit,
  type RateLimitRules,
  type Slowed,
} from '../../src/domain/rate-limit/rate-limit.ts';

const T0 = 1_800_000_000_000;
const rulesOf = (maxRpm: number): RateLimitRules => ({ maxRpm, timeoutMs: 5_000 });
const NO_LIMIT = rulesOf(0);

function slowed(how: Partial<Slowed>): RateLimit {
  return { ...INITIAL_RATE_LIMIT, slowed: { cause: 'asked', to: 1, from: 2, at: T0, ...how } };
}

describe('a lowered rate', () => {
  it.each([
    [0, 1],
    [4_999, 1],
    [5_000, 1.1],
    [10_000, 1.1 ** 3],
    [15_000, 1.1 ** 6],
    [19_999, 1.1 ** 6],
    [20_000, 2.5],
    [64_999, 2.5],
    [65_000, Number.POSITIVE_INFINITY],
  ])('of 1 that was 2 is, after %i ms, %d', (afterMs, rate) => {
    expect(rateOf(slowed({}), T0 + afterMs, NO_LIMIT)).toBeCloseTo(rate, 9);
  });

  it('is forgotten nine steps after it has come a quarter above the one that was complained of', () => {
    const limit = slowed({ to: 1, from: 0.8 });
    expect(rateOf(limit, T0 + 44_999, NO_LIMIT)).toBe(1);
    expect(rateOf(limit, T0 + 45_000, NO_LIMIT)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is never above the budget', () => {
    const full = fullRate(rulesOf(60));
    expect(rateOf(slowed({ to: 0.9, from: 50 }), T0 + 15_000, rulesOf(60))).toBe(full);
  });

  it('counts from a time ahead of a minute at most: one further ahead is of a clock that was set back', () => {
    expect(rateOf(slowed({ at: T0 + 60_000 }), T0, NO_LIMIT)).toBe(1);
    expect(rateOf(slowed({ at: T0 + 60_001 }), T0, NO_LIMIT)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('callers', () => {
  const full = fullRate(rulesOf(200));
  const areApart = (how: Partial<Slowed>): boolean =>
    areCallersApart(slowed({ cause: 'backlog', from: full, ...how }), T0, rulesOf(200));

  it('are apart from a backlog that leaves them their half of the budget', () => {
    expect(areApart({ to: full / 2 })).toBe(true);
    expect(areApart({ to: full * 0.51 })).toBe(false);
    expect(areApart({ to: full / 2, cause: 'asked' })).toBe(false);
    expect(areCallersApart(INITIAL_RATE_LIMIT, T0, NO_LIMIT)).toBe(false);
  });
});

describe('requests', () => {
  it('are free without a budget, a pause and an open circuit', () => {
    expect(isFree(INITIAL_RATE_LIMIT, T0, NO_LIMIT)).toBe(true);
    expect(isFree(INITIAL_RATE_LIMIT, T0, rulesOf(200))).toBe(false);
    expect(isFree({ ...INITIAL_RATE_LIMIT, circuit: 'open' }, T0, NO_LIMIT)).toBe(false);
    expect(isFree(slowed({}), T0, NO_LIMIT)).toBe(false);
  });

  it.each([
    [0, true],
    [1, false],
    [600_000, false],
    [600_001, true],
  ])('paused for %i ms are free: %s', (pauseMs, free) => {
    expect(isFree({ ...INITIAL_RATE_LIMIT, pausedUntil: T0 + pauseMs }, T0, NO_LIMIT)).toBe(free);
  });
});

describe('the budget of a minute', () => {
  it.each([
    [1, 1 / 62.5],
    [9, 9 / 62.5],
    [120, 119 / 62.5],
    [200, 197 / 62.5],
    [0, Number.POSITIVE_INFINITY],
  ])('of %i is refilled at %d a second: with the burst it is not exceeded', (maxRpm, rate) => {
    expect(fullRate(rulesOf(maxRpm))).toBeCloseTo(rate, 12);
  });

  it('allows a fiftieth at once, and two from ten a minute on', () => {
    expect([1, 9, 10, 149, 150, 5_000].map(burstOfBudget)).toEqual([1, 1, 2, 2, 3, 100]);
    expect(burstOf(5, rulesOf(200))).toBe(4);
    expect(burstOf(5, NO_LIMIT)).toBe(6);
  });
});

describe('a time of the database', () => {
  const refilled = (at: number): RateLimit => ({ ...INITIAL_RATE_LIMIT, refilledAt: at });

  it('never goes back, but for a clock that was set back by more than a minute', () => {
    expect(latest(refilled(T0 - 1), T0)).toBe(T0);
    expect(latest(refilled(T0 + 60_000), T0)).toBe(T0 + 60_000);
    expect(latest(refilled(T0 + 60_001), T0)).toBe(T0);
  });

  it('is waited for, unless it is further away than it can be', () => {
    expect([-1, 0, 1, 5, 6].map((inMs) => untilMs(T0 + inMs, T0, 5))).toEqual([0, 0, 1, 5, 0]);
  });
});
