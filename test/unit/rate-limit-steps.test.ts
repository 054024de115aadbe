import { describe, expect, it } from '@jest/globals';
import {
  burstOf,
  burstOfBudget,
  fullRate,
  isFree,
  latest,
  rateOf,
  untilMs,
  type RateLimit,
  type RateLimitRules,
  type Slowed,
} from '../../src/domain/rate-limit/rate-limit.ts';
import { closeCircuit, openCircuit, throttle } from '../../src/domain/rate-limit/rate-limit-transitions.ts';
import {
  callersRate,
  overdraw,
  take,
  waitForCallerMs,
  type Admission,
} from '../../src/domain/rate-limit/token-bucket.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

const T0 = 1_800_000_000_000;
const rulesOf = (maxRpm: number): RateLimitRules => ({ maxRpm, timeoutMs: 5_000 });
const NO_LIMIT = rulesOf(0);

function slowed(how: Partial<Slowed>): RateLimit {
  return { ...INITIAL_RATE_LIMIT, slowed: { to: 1, from: 2, at: T0, ...how } };
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

describe('rate limit transitions', () => {
  const ONE_A_MINUTE = rulesOf(1);
  const complaintOf = (demandPerSecond: number): { retryAfterMs: null; demandPerSecond: number } => ({
    retryAfterMs: null,
    demandPerSecond,
  });

  describe('a complaint of the provider', () => {
    it('is the same one for a second and a half', () => {
      const once = throttle(INITIAL_RATE_LIMIT, complaintOf(8), T0, NO_LIMIT);
      expect(throttle(once, complaintOf(8), T0 + 1_499, NO_LIMIT).slowed).toEqual(once.slowed);
      expect(throttle(once, complaintOf(8), T0 + 1_500, NO_LIMIT).slowed).toMatchObject({
        to: 2,
        at: T0 + 1_500,
      });
    });

    it('lowers the rate to no less than one request in ten seconds, or a tenth of a smaller budget', () => {
      for (const [rules, slowest] of [
        [NO_LIMIT, 0.1],
        [ONE_A_MINUTE, fullRate(ONE_A_MINUTE) / 10],
      ] as const) {
        let [rateLimit, now] = [INITIAL_RATE_LIMIT, T0];
        for (; now < T0 + 60_000; now += 2_000) rateLimit = throttle(rateLimit, complaintOf(8), now, rules);
        expect(rateOf(rateLimit, now - 2_000, rules)).toBeCloseTo(slowest, 9);
      }
    });

    it('halves one request a second where the payments need fewer and there is no budget', () => {
      expect(rateOf(throttle(INITIAL_RATE_LIMIT, complaintOf(0), T0, NO_LIMIT), T0, NO_LIMIT)).toBe(0.5);
    });

    it('is of the rate that there was, however low', () => {
      const full = fullRate(ONE_A_MINUTE);
      const { slowed } = throttle(INITIAL_RATE_LIMIT, complaintOf(8), T0, ONE_A_MINUTE);
      expect(slowed).toEqual({ to: full / 2, from: full, at: T0 });
    });

    it('without a Retry-After is no pause', () => {
      const { pausedUntil } = throttle(INITIAL_RATE_LIMIT, complaintOf(8), T0, NO_LIMIT);
      expect(pausedUntil).toBeLessThanOrEqual(T0);
    });
  });

  it('allow nothing at once after a complaint, and what was sent beyond the budget stays owed', () => {
    const complain = (tokens: number): number =>
      throttle({ ...INITIAL_RATE_LIMIT, tokens }, complaintOf(8), T0, NO_LIMIT).tokens;
    expect([5, 0, -3].map(complain)).toEqual([0, 0, -3]);
  });

  describe('a circuit that closes', () => {
    it('leaves nothing of the probes and of 503s before behind, and changes nothing where it was closed', () => {
      const slowed = {
        ...throttle(INITIAL_RATE_LIMIT, complaintOf(8), T0 - 3_000, NO_LIMIT),
        pausedUntil: 0,
        tokens: 0,
        refilledAt: 0,
      };
      const open = openCircuit(openCircuit(slowed, 'open', false, T0), 'open', true, T0 + 1_000);
      expect(open).toMatchObject({ circuit: 'open', probeWaitMs: 2_000, probeAt: T0 + 3_000 });
      expect(closeCircuit(open)).toEqual(INITIAL_RATE_LIMIT);
      expect(closeCircuit(INITIAL_RATE_LIMIT)).toBe(INITIAL_RATE_LIMIT);
    });
  });
});

describe('token bucket', () => {
  const RULES = rulesOf(120);
  const RATE = fullRate(RULES);
  /** A burst of 1,200 requests, of which polling leaves 300. */
  const RICH = rulesOf(60_000);

  function holding(tokens: number, more: Partial<RateLimit> = {}): RateLimit {
    return { ...INITIAL_RATE_LIMIT, tokens, urgent: tokens, refilledAt: T0, ...more };
  }

  function slowedTo(share: number): Partial<RateLimit> {
    return { slowed: { to: share * fullRate(RICH), from: fullRate(RICH), at: T0 } };
  }

  const admit = (...asked: Parameters<typeof take>): Admission => take(...asked).admission;

  describe('the bucket', () => {
    it('is refilled by the time that has passed, half of it for callers, up to the burst', () => {
      const after = (ms: number): RateLimit => take(holding(0), 0, T0 + ms, RULES).rateLimit;
      expect(after(500).tokens).toBeCloseTo(RATE / 2);
      expect(after(500).urgent).toBeCloseTo(RATE / 4);
      expect(after(500).refilledAt).toBe(T0 + 500);
      expect(after(60_000)).toMatchObject({ tokens: 2, urgent: 2 });
      expect(after(-500)).toMatchObject({ tokens: 0, urgent: 0, refilledAt: T0 });
    });

    it('begins empty where there was no limit before', () => {
      const free = take(holding(0), 1, T0, NO_LIMIT).rateLimit;
      expect(free).toMatchObject({ tokens: Number.POSITIVE_INFINITY, urgent: Number.POSITIVE_INFINITY });
      expect(take(free, 1, T0, RULES)).toMatchObject({
        rateLimit: { tokens: 0, urgent: 0 },
        admission: { granted: 0 },
      });
    });

    it('owes what was sent beyond the budget', () => {
      expect(overdraw(holding(2), 5, T0, RULES)).toMatchObject({ tokens: -3, urgent: 2 });
      expect(overdraw(holding(2), 5, T0 + 500, RULES).tokens).toBeCloseTo(2 - 5);
      expect(admit(holding(-3), 1, T0, RULES).waitMs).toBeCloseTo((5 / RATE) * 1_000);
    });

    it('grants whole requests, whatever is lost by rounding', () => {
      expect(admit(holding(0.999_999_5), 1, T0, RULES, true).granted).toBe(1);
      expect(admit(holding(0.999_99), 1, T0, RULES, true).granted).toBe(0);
    });

    it('forgets a complaint once the full rate is back', () => {
      const slowed = holding(0, slowedTo(0.5));
      expect(take(slowed, 1, T0 + 10_000, RICH).rateLimit.slowed).toEqual(slowed.slowed);
      expect(take(slowed, 1, T0 + 120_000, RICH).rateLimit.slowed).toBeNull();
    });
  });

  describe('polls', () => {
    it.each([
      [9, 1, 1],
      [10, 2, 1],
      [120, 2, 1],
      [60_000, 1_200, 900],
    ])(
      'of a budget of %i take from a burst of %i up to %i, and leave the rest to callers',
      (maxRpm, full, taken) => {
        const { rateLimit, admission } = take(holding(full), 10_000, T0, rulesOf(maxRpm));
        expect([admission.granted, rateLimit.tokens, rateLimit.urgent]).toEqual([taken, full - taken, full]);
      },
    );

    it('leave less of a rate that was lowered', () => {
      expect(admit(holding(600, slowedTo(0.5)), 10_000, T0, RICH).granted).toBe(600 - 150);
    });

    it('wait until there is one more than they leave, and not less than 20 ms', () => {
      expect(admit(holding(1), 1, T0, RULES)).toEqual({
        granted: 0,
        isProbe: false,
        waitMs: expect.closeTo(1_000 / RATE),
      });
      expect(admit(holding(2), 2, T0, RULES)).toMatchObject({
        granted: 1,
        waitMs: expect.closeTo(1_000 / RATE),
      });
      expect(admit(holding(300), 1, T0, RICH).waitMs).toBe(20);
      expect(admit(holding(2), 1, T0, RULES)).toEqual({ granted: 1, isProbe: false, waitMs: 0 });
    });
  });

  describe('callers', () => {
    it('take all that is there, and no more than their half', () => {
      const rich = { ...holding(5), urgent: 2 };
      expect(take(rich, 3, T0, RICH, true)).toMatchObject({
        rateLimit: { tokens: 3, urgent: 0 },
        admission: { granted: 2, isProbe: false },
      });
      expect(admit({ ...holding(1), urgent: 5 }, 3, T0, RICH, true).granted).toBe(1);
    });

    it('give back what they do not use', () => {
      expect(take(holding(1), -1, T0, RULES, true).rateLimit).toMatchObject({ tokens: 2, urgent: 2 });
      expect(take(holding(1), -1, T0, RULES).rateLimit).toMatchObject({ tokens: 2, urgent: 1 });
    });

    it('have half of the rate', () => {
      const full = fullRate(RICH);
      expect(callersRate(holding(0), T0, RICH)).toBe(full / 2);
      expect(callersRate(holding(0, slowedTo(0.4)), T0, RICH)).toBeCloseTo(full * 0.2);
    });

    it('wait for their half, and for the requests that are owed', () => {
      const wait = (rateLimit: RateLimit, requests: number): number =>
        waitForCallerMs(rateLimit, requests, T0, RULES);
      expect(wait(holding(0), 1)).toBeCloseTo(2_000 / RATE);
      expect(wait(holding(0), 3)).toBeCloseTo(6_000 / RATE);
      expect(wait({ ...holding(-5), urgent: 1 }, 1)).toBeCloseTo(6_000 / RATE);
      expect(wait({ ...holding(-5), urgent: 2 }, 2)).toBeCloseTo(7_000 / RATE);
      expect(wait(holding(0, { pausedUntil: T0 + 700 }), 1)).toBeCloseTo(700 + 2_000 / RATE);
      expect(wait(holding(2), 1)).toBe(20);
      expect(wait(holding(Number.POSITIVE_INFINITY), 1)).toBe(20);
      expect(admit(holding(0), 1, T0, RULES, true).waitMs).toBeCloseTo(2_000 / RATE);
    });
  });

  describe('a pause', () => {
    it.each([
      [5, 20],
      [700, 700],
      [600_000, 600_000],
    ])('of %i ms grants nothing, and is waited for: %i ms', (pauseMs, waitMs) => {
      const paused = holding(2, { pausedUntil: T0 + pauseMs });
      expect(admit(paused, 1, T0, RULES)).toEqual({ granted: 0, isProbe: false, waitMs });
    });

    it('that is longer than any is of a clock that was set back', () => {
      expect(admit(holding(2, { pausedUntil: T0 + 600_001 }), 1, T0, RULES).granted).toBe(1);
    });
  });

  describe('a probe', () => {
    const open = (more: Partial<RateLimit>): RateLimit =>
      holding(2, { circuit: 'open', probeAt: T0, probeWaitMs: 4_000, ...more });

    it('is one request, and the next comes after its time-out and the wait', () => {
      expect(take(open({}), 50, T0, RULES)).toMatchObject({
        rateLimit: { tokens: 1, probeAt: T0 + 9_000 },
        admission: { granted: 1, isProbe: true, waitMs: 0 },
      });
    });

    it('is waited for, but not longer than one can take', () => {
      const wait = (inMs: number): Admission => admit(open({ probeAt: T0 + inMs }), 1, T0, RULES);
      expect(wait(1)).toEqual({ granted: 0, isProbe: false, waitMs: 20 });
      expect(wait(65_000)).toMatchObject({ granted: 0, waitMs: 65_000 });
      expect(wait(65_001)).toMatchObject({ granted: 1, isProbe: true });
    });

    it('waits for a request of the budget like any other', () => {
      expect(admit(open({ tokens: 0 }), 1, T0, RULES)).toEqual({
        granted: 0,
        isProbe: false,
        waitMs: expect.closeTo(1_000 / RATE),
      });
      expect(admit(open({ tokens: 1 }), 1, T0, RULES).isProbe).toBe(true);
    });
  });
});
