import { describe, expect, it } from '@jest/globals';

import {
  closeCircuit,
  openCircuit,
  spreadBacklog,
  throttle,
} from '../../src/domain/rate-limit/rate-limit-transitions.ts';
import {
  fullRate,
  INITIAL_RATE_LIMIT,
  rateOf,
  type RateLimitRules,
} from '../../src/domain/rate-limit/rate-limit.ts';

const T0 = 1_800_000_000_000;
const NO_LIMIT: RateLimitRules = { maxRpm: 0, timeoutMs: 5_000 };
const ONE_A_MINUTE: RateLimitRules = { maxRpm: 1, timeoutMs: 5_000 };
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
    expect(slowed).toEqual({ cause: 'asked', to: full / 2, from: full, at: T0 });
  });

  it('without a Retry-After is no pause', () => {
    const { pausedUntil } = throttle(INITIAL_RATE_LIMIT, complaintOf(8), T0, NO_LIMIT);
    expect(pausedUntil).toBeLessThanOrEqual(T0);
  });
});

describe('what may be sent at once', () => {
  const complain = (tokens: number): number =>
    throttle({ ...INITIAL_RATE_LIMIT, tokens }, complaintOf(8), T0, NO_LIMIT).tokens;
  const spread = (tokens: number): number =>
    spreadBacklog({ ...INITIAL_RATE_LIMIT, tokens }, 8, T0, NO_LIMIT).tokens;

  it.each([
    ['a complaint', complain],
    ['a backlog', spread],
  ])('is nothing after %s, and what was sent beyond the budget stays owed', (_what, tokensAfter) => {
    expect([5, 0, -3].map(tokensAfter)).toEqual([0, 0, -3]);
  });
});

describe('a backlog', () => {
  it('is worked off a quarter faster than the payments ask, at 1.25 requests a second at least', () => {
    const rate = (demand: number): number =>
      rateOf(spreadBacklog(INITIAL_RATE_LIMIT, demand, T0, NO_LIMIT), T0, NO_LIMIT);
    expect([0, 1, 8].map(rate)).toEqual([1.25, 1.25, 10]);
  });

  it('that is worked off already is not begun again', () => {
    const once = spreadBacklog(INITIAL_RATE_LIMIT, 8, T0, NO_LIMIT);
    expect(spreadBacklog(once, 8, T0, NO_LIMIT)).toBe(once);
  });
});

describe('a circuit that closes', () => {
  it('leaves nothing of the probes behind, and changes nothing where it was closed', () => {
    const open = openCircuit(openCircuit(INITIAL_RATE_LIMIT, 'open', false, T0), 'open', true, T0 + 1_000);
    expect(open).toMatchObject({ circuit: 'open', probeWaitMs: 2_000, probeAt: T0 + 3_000 });
    expect(closeCircuit(open)).toEqual(INITIAL_RATE_LIMIT);
    expect(closeCircuit(INITIAL_RATE_LIMIT)).toBe(INITIAL_RATE_LIMIT);
  });
});
