import { describe, expect, it } from '@jest/globals';

import { AFTER_EXPIRY_MS, latestPoll, pollBy } from '../../src/domain/polling/due-by.ts';
import { plannedRate } from '../../src/domain/polling/planned-rate.ts';
import {
  dueAfterClaim,
  FIRST_POLL_SPREAD,
  firstPollInMs,
  HINT_LASTS_MS,
  MADE_DUE_GAP_MS,
  SHRUNK_SHARE,
} from '../../src/domain/polling/spacing.ts';
import { URGENCY } from '../../src/domain/polling/urgency.ts';
import { newPayment } from '../../src/domain/payment/payment.ts';
import { INITIAL_RATE_LIMIT, rateOf } from '../../src/domain/rate-limit/rate-limit.ts';
import { throttle } from '../../src/domain/rate-limit/rate-limit-transitions.ts';

const T0 = 1_800_000_000_000;

describe('the poll after a claim', () => {
  it('is due an interval after the last due time, however long the claim was waited for', () => {
    for (const lateMs of [-500, 0, 3_499])
      expect(dueAfterClaim(T0, T0 + lateMs, 7_000, URGENCY.attended, 0)).toBe(T0 + 7_000);
  });

  it('is due up to 4 % later, money in flight apart', () => {
    expect(dueAfterClaim(T0, T0, 7_000, URGENCY.attended, 1)).toBeCloseTo(T0 + 7_280);
    expect(dueAfterClaim(T0, T0, 7_000, URGENCY.unattended, 0.5)).toBeCloseTo(T0 + 7_140);
    expect(dueAfterClaim(T0, T0, 100_000, URGENCY.watching, 1)).toBeCloseTo(T0 + 104_000);
    expect(dueAfterClaim(T0, T0, 5_000, URGENCY.inFlight, 1)).toBe(T0 + 5_000);
  });

  it('is due half an interval to a whole one from now after a claim that was very late', () => {
    const now = T0 + 3_500;
    expect(dueAfterClaim(T0, now, 7_000, URGENCY.attended, 0)).toBe(now + 3_500);
    expect(dueAfterClaim(T0, now, 7_000, URGENCY.attended, 1)).toBe(now + 7_000);
    expect(dueAfterClaim(T0, T0 + 60_000, 7_000, URGENCY.attended, 0.5)).toBe(T0 + 65_250);
  });
});

describe('the first poll', () => {
  it('comes after an interval, or half of it later and sooner than the scale says for some', () => {
    expect(firstPollInMs(7_000, 21_000, 0)).toBe(21_000);
    expect(firstPollInMs(7_000, 21_000, 0.5)).toBe(17_500);
    expect(firstPollInMs(7_000, 7_000, 0.5)).toBe(10_500);
  });
});

describe('what brings a poll forward', () => {
  it('is at most a notice a second, a hint in 15 seconds, and a scale that has shrunk by a fifth', () => {
    expect([MADE_DUE_GAP_MS, HINT_LASTS_MS, SHRUNK_SHARE, FIRST_POLL_SPREAD]).toEqual([
      1_000, 15_000, 0.8, 0.5,
    ]);
  });
});

describe('the latest time for a poll', () => {
  const expiresAt = new Date(T0);
  const awaiting = newPayment(
    { quoteId: 'q', provider: 'http', orderId: null, metadata: null, expiresAt, expectedMs: null },
    expiresAt,
  );

  it('is a moment after the expiry while the deposit is awaited, and only then', () => {
    expect(pollBy(awaiting)?.getTime()).toBe(T0 + AFTER_EXPIRY_MS);
    expect(AFTER_EXPIRY_MS).toBe(1_500);
    expect(pollBy({ ...awaiting, status: 'EXECUTING' })).toBeNull();
    expect(pollBy({ ...awaiting, expiresAt: null })).toBeNull();
  });

  it('is ten intervals from now once that has passed', () => {
    expect(latestPoll(T0, T0 - 1, 7_000)).toBe(T0);
    expect(latestPoll(T0, T0, 7_000)).toBe(T0 + 70_000);
  });
});

describe('the rate that intervals are planned for', () => {
  const rules = { maxRpm: 600, timeoutMs: 5_000 };
  const full = rateOf(INITIAL_RATE_LIMIT, T0, rules);

  it('is the rate limit, or none', () => {
    expect(plannedRate(INITIAL_RATE_LIMIT, 0, T0, rules)).toBe(full);
    expect(plannedRate(INITIAL_RATE_LIMIT, 500, T0, { ...rules, maxRpm: 0 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('leaves the overdue payments what polls them within a minute, a quarter of it at most', () => {
    expect(plannedRate(INITIAL_RATE_LIMIT, 60, T0, rules)).toBeCloseTo(full - 1);
    expect(plannedRate(INITIAL_RATE_LIMIT, 60_000, T0, rules)).toBeCloseTo(full * 0.75);
  });

  it('is the one in half a minute, when a lowered rate has grown', () => {
    const slowed = throttle(INITIAL_RATE_LIMIT, { retryAfterMs: null, demandPerSecond: 5 }, T0, rules);
    expect(plannedRate(slowed, 0, T0, rules)).toBe(rateOf(slowed, T0 + 30_000, rules));
    expect(plannedRate(slowed, 0, T0, rules)).toBeGreaterThan(rateOf(slowed, T0, rules));
    const complaint = { retryAfterMs: null, demandPerSecond: 5 };
    const often = [1, 2, 3].reduce(
      (limit, nth) => throttle(limit, complaint, T0 + nth * 2_000, rules),
      slowed,
    );
    expect(plannedRate(often, 0, T0, rules)).toBe(rateOf(often, T0 + 30_000, rules));
    expect(plannedRate(often, 0, T0, rules)).toBeLessThan(rateOf(often, T0 + 60_000, rules));
  });
});
