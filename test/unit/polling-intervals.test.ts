import { describe, expect, it } from '@jest/globals';
import { AFTER_EXPIRY_MS, pollBy } from '../../src/domain/polling/due-by.ts';
import { plannedRate } from '../../src/domain/polling/interval-scale.ts';
import {
  FIRST_POLL_SPREAD,
  HINT_LASTS_MS,
  MADE_DUE_GAP_MS,
  SHRUNK_SHARE,
} from '../../src/domain/polling/spacing.ts';
import { URGENCY } from '../../src/domain/polling/urgency.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { rateOf } from '../../src/domain/rate-limit/rate-limit.ts';
import { throttle } from '../../src/domain/rate-limit/rate-limit-transitions.ts';
import fc from 'fast-check';
import { minGapMs, stalledAfterMs, urgencyRules } from '../../src/domain/polling/urgency-rules.ts';
import { claimOf } from '../support/claim.ts';
import { madePayment } from '../support/made-payment.ts';
import { POLLING, says } from '../support/poll-results.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';
import { unchangedUntil } from '../../src/domain/polling/unchanged.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim } from '../../src/ports/schedule.ts';
import { changesNothing, applyPoll } from '../../src/features/polling/apply-poll.ts';
import { pauseQuotes, takeQuote, type QuoteWindow } from '../../src/domain/rate-limit/quote-window.ts';
import { dueAfterClaim, firstPollInMs, latestPoll } from '../support/schedule-rules.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

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
  const awaiting = madePayment(expiresAt, { expiresAt });

  it('is a moment after the expiry while the deposit is awaited, and a day after the completion', () => {
    expect(pollBy(awaiting, URGENCY_RULES)?.getTime()).toBe(T0 + AFTER_EXPIRY_MS);
    expect(AFTER_EXPIRY_MS).toBe(1_500);
    expect(pollBy({ ...awaiting, status: 'EXECUTING' }, URGENCY_RULES)).toBeNull();
    expect(pollBy({ ...awaiting, expiresAt: null }, URGENCY_RULES)).toBeNull();
    const completed = { ...awaiting, status: 'COMPLETED', endedAt: expiresAt } as const;
    expect(pollBy(completed, URGENCY_RULES)?.getTime()).toBe(T0 + 86_400_000);
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
      ...Object.values(urgencyRules(given)).flat(),
      stalledAfterMs(given),
      minGapMs(given),
    ];
    fc.assert(
      fc.property(times, fc.double({ min: 0.1, max: 50, noNaN: true }), (given, speed) => {
        const usual = all({ ...given, speed: 1 });
        // At speed 1 the durations are rounded too.
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
      afterCompletionMs: [5_455, 54_545, 327_273, 1_963_636, 7_854_545],
      backoffUpToMs: 5_455,
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

describe('unchanged', () => {
  const ALL_RULES = { ...URGENCY_RULES, stalledAfterMs: 900_000 };
  const T0 = new Date('2026-11-20T12:00:00.000Z');
  const later = (ms: number): Date => new Date(T0.getTime() + ms);

  /** A payment that was just polled, and its stored report. */
  interface Seen {
    readonly payment: Payment;
    readonly answer: StatusAnswer;
    readonly hintedAt: Date | null;
  }

  function seenOf(from: {
    status: string;
    expiresInMs: number | null;
    expectedMs: number | null;
    progressAgoMs: number;
    ageMs: number;
    hintedAgoMs: number | null;
  }): Seen {
    const answer = says(from.status);
    const expiresAt = from.expiresInMs === null ? null : later(from.expiresInMs);
    const createdAt = later(-from.ageMs - from.progressAgoMs);
    const base = madePayment(createdAt, { expiresAt, expectedMs: from.expectedMs });
    const payment = {
      ...base,
      status: from.status as Payment['status'],
      progressAt: later(-from.progressAgoMs),
      reportDigest: answer.report.digest,
    };
    const hintedAt = from.hintedAgoMs === null ? null : later(-from.hintedAgoMs);
    return { payment, answer, hintedAt };
  }

  /** The claim of the next poll, after this one. */
  function claimAfter({ payment, answer, hintedAt }: Seen): Claim {
    const claim = claimOf(payment, { hintedAt, answeredAgoMs: 7_000 });
    const poll = applyPoll(claim, answer, T0, POLLING);
    return {
      ...claim,
      payment: poll.payment,
      scheduledInMs: poll.next.inMs,
      urgency: poll.next.urgency,
    };
  }

  const SEEN = fc
    .record({
      status: fc.constantFrom('AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'EXECUTING'),
      expiresInMs: fc.option(fc.integer({ min: -3_600_000, max: 3_600_000 })),
      expectedMs: fc.option(fc.integer({ min: 1, max: 7_200_000 })),
      progressAgoMs: fc.integer({ min: 0, max: 2_000_000 }),
      ageMs: fc.integer({ min: 0, max: 2_000_000 }),
      hintedAgoMs: fc.option(fc.integer({ min: 0, max: 200_000 })),
    })
    .map(seenOf);

  describe('a poll that finds the stored report again', () => {
    it('need not be judged until the time that was foretold, whatever the payment', () => {
      fc.assert(
        fc.property(SEEN, fc.double({ min: 0, max: 0.999_999, noNaN: true }), (seen, share) => {
          const claim = claimAfter(seen);
          const until = unchangedUntil(claim.payment, T0, ALL_RULES, seen.hintedAt);
          if (until === null) return;
          expect(until.getTime()).toBeGreaterThan(T0.getTime());
          const at = later(Math.floor((until.getTime() - T0.getTime()) * share));
          expect(changesNothing(applyPoll(claim, seen.answer, at, POLLING))).toBe(true);
        }),
        { numRuns: 1_000 },
      );
    });

    it('is foretold for most of a payment’s time, and never for the late watch', () => {
      const usual = { expiresInMs: 300_000, expectedMs: 30_000, ageMs: 100_000, hintedAgoMs: null };
      for (const status of ['AWAITING_DEPOSIT', 'EXECUTING']) {
        const { payment } = seenOf({ ...usual, status, progressAgoMs: 20_000 });
        expect(unchangedUntil(payment, T0, ALL_RULES, null)).not.toBeNull();
        const watched = { ...payment, tracking: 'watching' } as const;
        expect(unchangedUntil(watched, T0, ALL_RULES, null)).toBeNull();
      }
    });
  });

  describe('a change of noise that is held back', () => {
    it('is judged when its minute is over, and not before', () => {
      const usual = { expiresInMs: 300_000, expectedMs: 30_000, ageMs: 100_000, hintedAgoMs: null };
      for (const status of ['AWAITING_DEPOSIT', 'EXECUTING']) {
        const { payment } = seenOf({ ...usual, status, progressAgoMs: 20_000 });
        const toldAgo = (ms: number): Payment => ({
          ...payment,
          partDigests: { ...payment.partDigests, noiseToldAt: T0.getTime() - ms },
        });
        expect(unchangedUntil(toldAgo(59_999), T0, ALL_RULES, null)).toEqual(later(1));
        expect(unchangedUntil(toldAgo(60_000), T0, ALL_RULES, null)).toEqual(
          unchangedUntil(payment, T0, ALL_RULES, null),
        );
      }
    });
  });

  describe('the time until a poll must be judged', () => {
    const HOUR_MS = 3_600_000;
    const awaiting = madePayment(T0);
    const executing: Payment = { ...awaiting, status: 'EXECUTING' };
    /** Milliseconds after T0. */
    const untilMs = (payment: Payment, atMs: number, hintedAt: Date | null = null): number | null => {
      const until = unchangedUntil(payment, later(atMs), ALL_RULES, hintedAt);
      return until === null ? null : until.getTime() - T0.getTime();
    };

    it('ends when nobody attends to the payment any more, and is an hour then', () => {
      expect(untilMs(awaiting, 0)).toBe(90_000);
      expect(untilMs(awaiting, 0, later(10_000))).toBe(100_000);
      expect(untilMs(awaiting, 90_000)).toBe(90_000 + HOUR_MS);
    });

    it('ends two intervals before the expiry is asked for, and there is none until that is over', () => {
      const expiring = { ...awaiting, expiresAt: later(60_000) };
      expect([0, 47_499, 47_500, 61_499, 61_500].map((atMs) => untilMs(expiring, atMs))).toEqual([
        47_500,
        47_500,
        null,
        null,
        90_000,
      ]);
    });

    it('ends when money in flight is overdue, then when it stalls, and is an hour once that is reported', () => {
      const stalled: Payment = { ...executing, stalls: ['no_progress'] };
      expect([0, 140_000, 140_001, 899_999, 900_000].map((atMs) => untilMs(executing, atMs))).toEqual([
        140_001,
        140_001,
        900_000,
        900_000,
        null,
      ]);
      expect(untilMs(stalled, 900_000)).toBe(900_000 + HOUR_MS);
    });

    it('does not begin while it is too early for money in flight', () => {
      const slow = { ...executing, expectedMs: 100_000 };
      expect([0, 14_949, 14_950].map((atMs) => untilMs(slow, atMs))).toEqual([null, null, 500_001]);
    });

    it('does not begin while a silence is to be ended', () => {
      expect(untilMs({ ...executing, stalls: ['provider_silent'] }, 0)).toBeNull();
    });
  });
});

const NOW = 1_900_000_000_000;
const EMPTY: QuoteWindow = { takenAt: [], pausedUntil: 0 };

/** Asks at each of these instants; returns which requests were admitted. */
function ask(instants: readonly number[], limit: number, from = EMPTY): number[] {
  let window = from;
  return instants.filter((at) => {
    const taken = takeQuote(window, at, limit);
    window = taken.window;
    return taken.waitMs === null;
  });
}

function mostInAMinute(instants: readonly number[]): number {
  return Math.max(
    ...instants.map((from) => instants.filter((at) => at >= from && at - from < 60_000).length),
  );
}

describe('the window of quotes', () => {
  it('lets a rush through at once, up to the limit, and gives the next the time to come again', () => {
    expect(ask(Array<number>(60).fill(NOW), 50)).toHaveLength(50);
    const full = { takenAt: Array.from({ length: 50 }, (_, index) => NOW + index * 100), pausedUntil: 0 };
    const { waitMs } = takeQuote(full, NOW + 10_000, 50);
    expect(takeQuote(full, NOW + 10_000 + (waitMs ?? 0) - 1, 50).waitMs).not.toBeNull();
    expect(takeQuote(full, NOW + 10_000 + (waitMs ?? 0), 50).waitMs).toBeNull();
  });

  it('never lets more than the limit through in any minute, however they come', () => {
    const instants = Array.from({ length: 2_000 }, (_, index) => NOW + index * 97 + ((index * 7919) % 90));
    const through = ask(
      instants.toSorted((a, b) => a - b),
      50,
    );
    expect(mostInAMinute(through)).toBe(50);
  });

  it('keeps a pause that the provider asked for, and no pause for ever', () => {
    const paused = pauseQuotes(EMPTY, 20_000, NOW);
    expect(takeQuote(paused, NOW + 5_000, 50).waitMs).toBe(15_000);
    expect(takeQuote(paused, NOW + 20_000, 50).waitMs).toBeNull();
    expect(takeQuote(pauseQuotes(EMPTY, 86_400_000, NOW), NOW, 50).waitMs).toBe(600_000);
    expect(pauseQuotes(paused, 1_000, NOW).pausedUntil).toBe(paused.pausedUntil);
  });

  it('outlives a clock that was put back', () => {
    const later = { takenAt: Array<number>(50).fill(NOW + 3_600_000), pausedUntil: NOW + 3_600_000 };
    expect(takeQuote(later, NOW, 50).waitMs).toBeNull();
  });

  it('lets nothing more through when the limit was lowered, until enough of the minute has passed', () => {
    const window = { takenAt: [NOW, NOW + 1_000, NOW + 2_000], pausedUntil: 0 };
    const { waitMs } = takeQuote(window, NOW + 3_000, 1);
    expect(takeQuote(window, NOW + 3_000 + (waitMs ?? 0), 1).waitMs).toBeNull();
    expect(takeQuote(window, NOW + 3_000 + (waitMs ?? 0) - 1, 1).waitMs).not.toBeNull();
  });

  it('counts a quote for 62 seconds, and asks nobody to come again within a second', () => {
    const full = { takenAt: [NOW], pausedUntil: 0 };
    expect(takeQuote(full, NOW + 60_000, 1).waitMs).toBe(2_000);
    expect(takeQuote(full, NOW + 61_999, 1).waitMs).toBe(1_000);
    expect(takeQuote(full, NOW + 62_000, 1).waitMs).toBeNull();
    expect(takeQuote({ takenAt: [], pausedUntil: NOW + 1 }, NOW, 1).waitMs).toBe(1_000);
  });
});
