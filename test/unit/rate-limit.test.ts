import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { rateOf, type RateLimit, type RateLimitRules } from '../../src/domain/rate-limit/rate-limit.ts';
import { take } from '../../src/domain/rate-limit/token-bucket.ts';
import { openCircuit, closeCircuit, throttle } from '../../src/domain/rate-limit/rate-limit-transitions.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

const T0 = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const BUDGETS = [1, 2, 3, 7, 10, 59, 80, 160, 200, 5_000, 100_000];

function rulesOf(maxRpm: number): RateLimitRules {
  return { maxRpm, timeoutMs: 5_000 };
}

interface Taken {
  readonly at: number;
  readonly granted: number;
}

/** The most that was granted within any minute. */
function busiestMinute(taken: readonly Taken[]): number {
  const sorted = [...taken].sort((a, b) => a.at - b.at);
  let [busiest, within, first] = [0, 0, 0];
  for (const { at, granted } of sorted) {
    within += granted;
    while (at - (sorted[first]?.at ?? at) >= MINUTE_MS) within -= sorted[first++]?.granted ?? 0;
    busiest = Math.max(busiest, within);
  }
  return busiest;
}

const step = fc.record({
  waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 20_000 })),
  /** A replica whose transaction waited brings an instant that is over already. */
  behindMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_000 })),
  wanted: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 50 }), fc.constant(1_000_000)),
  isUrgent: fc.boolean(),
  what: fc.constantFrom('take', 'take', 'take', 'take', 'take', 'throttle', 'fail', 'fail probe', 'recover'),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function moved(rateLimit: RateLimit, { what }: Step, now: number, rules: RateLimitRules): RateLimit {
  if (what === 'throttle') return throttle(rateLimit, { retryAfterMs: null, demandPerSecond: 5 }, now, rules);
  if (what === 'fail') return openCircuit(rateLimit, 'open', false, now);
  if (what === 'fail probe') return openCircuit(rateLimit, 'open', true, now);
  return closeCircuit(rateLimit);
}

/** Greedy replicas, which ask all the time for any number of requests. */
function taken(steps: readonly Step[], rules: RateLimitRules, rounds: number): Taken[] {
  const all: Taken[] = [];
  let [rateLimit, now] = [INITIAL_RATE_LIMIT, T0];
  for (let round = 0; round < rounds; round++) {
    for (const each of steps) {
      now += each.waitMs;
      const at = now - each.behindMs;
      if (each.what === 'take') {
        const result = take(rateLimit, each.wanted, at, rules, each.isUrgent);
        rateLimit = result.rateLimit;
        all.push({ at: now, granted: result.admission.granted });
      } else {
        rateLimit = moved(rateLimit, each, at, rules);
      }
    }
  }
  return all;
}

describe('the budget', () => {
  it.each(BUDGETS)('of %d a minute is exceeded in no minute, however greedy the replicas are', (maxRpm) => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        expect(busiestMinute(taken(steps, rulesOf(maxRpm), 12))).toBeLessThanOrEqual(maxRpm);
      }),
      { seed: maxRpm, numRuns: 200 },
    );
  });

  it.each(BUDGETS)('of %d a minute is used up to six sevenths by who asks all the time', (maxRpm) => {
    const rules = rulesOf(maxRpm);
    let [rateLimit, granted] = [INITIAL_RATE_LIMIT, 0];
    const minutes = 20;
    for (let now = T0; now < T0 + minutes * MINUTE_MS; now += 50) {
      const result = take(rateLimit, 1_000_000, now, rules);
      rateLimit = result.rateLimit;
      granted += result.admission.granted;
    }
    expect(granted / minutes).toBeGreaterThanOrEqual((maxRpm * 6) / 7);
  });

  it('is waited for as long as it takes, and no longer', () => {
    for (const maxRpm of BUDGETS) {
      const rules = rulesOf(maxRpm);
      const empty = take(INITIAL_RATE_LIMIT, 1_000_000, T0, rules);
      const { waitMs } = empty.admission;
      expect(take(empty.rateLimit, 1, T0 + Math.ceil(waitMs), rules).admission.granted).toBe(1);
      if (waitMs > 20) expect(take(empty.rateLimit, 1, T0 + waitMs * 0.9, rules).admission.granted).toBe(0);
    }
  });

  it('gets back what was taken and not used, whatever state the provider is in', () => {
    const rules = rulesOf(200);
    const used = take(INITIAL_RATE_LIMIT, 3, T0, rules).rateLimit;
    const back = take(used, -2, T0, rules);
    expect(back.admission).toMatchObject({ granted: -2, isProbe: false });
    expect(take(back.rateLimit, 2, T0, rules).admission.granted).toBe(2);
    const failing = { ...openCircuit(used, 'open', false, T0), probeAt: T0 };
    expect(take(failing, -2, T0, rules).admission.isProbe).toBe(false);
    expect(take(failing, 0, T0, rules).admission).toMatchObject({ granted: 0, isProbe: false });
  });
});

describe('a provider that asks for less', () => {
  const complaint = { retryAfterMs: null, demandPerSecond: 100 };

  it('is asked nothing before its Retry-After, but no longer than ten minutes', () => {
    const rules = rulesOf(0);
    const asked = throttle(INITIAL_RATE_LIMIT, { ...complaint, retryAfterMs: 30_000 }, T0, rules);
    expect(take(asked, 1, T0 + 29_999, rules).admission).toMatchObject({ granted: 0 });
    expect(take(asked, 1, T0 + 31_000, rules).admission).toMatchObject({ granted: 1 });
    const forever = throttle(INITIAL_RATE_LIMIT, { ...complaint, retryAfterMs: 1e12 }, T0, rules);
    expect(take(forever, 1, T0 + 599_000, rules).admission).toMatchObject({ granted: 0 });
    expect(take(forever, 1, T0 + 601_000, rules).admission).toMatchObject({ granted: 1 });
  });

  it.each([0, ...BUDGETS])(
    'gets more again step by step, never less, and all of it (budget: %d)',
    (maxRpm) => {
      const rules = rulesOf(maxRpm);
      const slowed = throttle(INITIAL_RATE_LIMIT, complaint, T0, rules);
      let rate = 0;
      for (let now = T0; now < T0 + 180_000; now += 1_000) {
        expect(rateOf(slowed, now, rules)).toBeGreaterThanOrEqual(rate);
        rate = rateOf(slowed, now, rules);
      }
      expect(rate).toBe(rateOf(INITIAL_RATE_LIMIT, T0, rules));
    },
  );

  it('is back at the full rate three minutes after a spell in which it refused everything', () => {
    for (const maxRpm of [0, 200, 100_000]) {
      const rules = rulesOf(maxRpm);
      let [rateLimit, now] = [INITIAL_RATE_LIMIT, T0];
      for (; now < T0 + 300_000; now += 5_000) rateLimit = throttle(rateLimit, complaint, now, rules);
      expect(rateOf(rateLimit, now, rules)).toBeGreaterThan(0);
      expect(rateOf(rateLimit, now, rules)).toBeLessThan(1);
      expect(rateOf(rateLimit, now + 180_000, rules)).toBe(rateOf(INITIAL_RATE_LIMIT, T0, rules));
    }
  });
});

describe('a provider that fails', () => {
  const rules = rulesOf(200);

  it('gets one probe at a time, at growing intervals of at most a minute', () => {
    let rateLimit = openCircuit(INITIAL_RATE_LIMIT, 'open', false, T0);
    const waits: number[] = [];
    let [now, failedAt] = [T0, T0];
    while (waits.length < 10) {
      const result = take(rateLimit, 50, now, rules);
      rateLimit = result.rateLimit;
      if (result.admission.granted > 0) {
        expect(result.admission).toMatchObject({ granted: 1, isProbe: true });
        expect(take(rateLimit, 50, now, rules).admission.granted).toBe(0);
        waits.push(now - failedAt);
        failedAt = now;
        rateLimit = openCircuit(rateLimit, 'open', true, now);
      }
      now += 250;
    }
    expect(waits.map((waitMs) => Math.round(waitMs / 1_000))).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
  });

  it('works again with the first answer, and requests in flight then do not undo it', () => {
    const open = openCircuit(INITIAL_RATE_LIMIT, 'credentials', false, T0);
    expect(openCircuit(open, 'open', false, T0 + 10)).toBe(open);
    const working = closeCircuit(open);
    expect(working.circuit).toBe('closed');
    expect(take(working, 3, T0 + 60_000, rules).admission).toMatchObject({ granted: 3, isProbe: false });
  });
});
