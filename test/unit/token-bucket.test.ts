import { describe, expect, it } from '@jest/globals';

import {
  fullRate,
  INITIAL_RATE_LIMIT,
  type RateLimit,
  type RateLimitRules,
  type Slowed,
} from '../../src/domain/rate-limit/rate-limit.ts';
import {
  callersRate,
  overdraw,
  take,
  waitForCallerMs,
  type Admission,
} from '../../src/domain/rate-limit/token-bucket.ts';

const T0 = 1_800_000_000_000;
const rulesOf = (maxRpm: number): RateLimitRules => ({ maxRpm, timeoutMs: 5_000 });
const RULES = rulesOf(120);
const RATE = fullRate(RULES);
/** A burst of 1,200, of which polling leaves 300. */
const RICH = rulesOf(60_000);
const NO_LIMIT = rulesOf(0);

function holding(tokens: number, more: Partial<RateLimit> = {}): RateLimit {
  return { ...INITIAL_RATE_LIMIT, tokens, urgent: tokens, refilledAt: T0, ...more };
}

function slowedTo(share: number, cause: Slowed['cause'], rules = RICH): Partial<RateLimit> {
  return { slowed: { cause, to: share * fullRate(rules), from: fullRate(rules), at: T0 } };
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
    const slowed = holding(0, slowedTo(0.5, 'asked'));
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

  it('leave less of a rate that was lowered, all of it for a backlog, and nothing where callers are apart', () => {
    const granted = (...[share, cause]: [number, Slowed['cause']]): number =>
      admit(holding(600, slowedTo(share, cause)), 10_000, T0, RICH).granted;
    expect(granted(0.5, 'asked')).toBe(600 - 150);
    expect(granted(0.6, 'backlog')).toBe(600 - 300);
    expect(granted(0.5, 'backlog')).toBe(600);
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

  it('take only from their half while they are apart from a backlog', () => {
    const apart = holding(5, slowedTo(0.5, 'backlog'));
    expect(take(apart, 3, T0, RICH, true).rateLimit).toMatchObject({ tokens: 5, urgent: 2 });
    expect(take({ ...apart, tokens: 0 }, 3, T0, RICH, true).admission.granted).toBe(3);
    expect(take(apart, -2, T0, RICH, true).rateLimit).toMatchObject({ tokens: 5, urgent: 7 });
  });

  it('have half of the rate, and of the whole budget while they are apart', () => {
    const full = fullRate(RICH);
    expect(callersRate(holding(0), T0, RICH)).toBe(full / 2);
    expect(callersRate(holding(0, slowedTo(0.4, 'asked')), T0, RICH)).toBeCloseTo(full * 0.2);
    expect(callersRate(holding(0, slowedTo(0.4, 'backlog')), T0, RICH)).toBe(full / 2);
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
    const apart = { ...holding(-5, slowedTo(0.5, 'backlog', RULES)), urgent: 0 };
    expect(wait(apart, 1)).toBeCloseTo(2_000 / RATE);
    expect(wait({ ...apart, urgent: 5 }, 1)).toBe(20);
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
