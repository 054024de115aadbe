import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readEstimateMs } from '../../src/domain/payment/estimate.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { STATUSES } from '../../src/domain/payment/status.ts';
import {
  backoffMs,
  earlyMs,
  nextPoll,
  URGENCY,
  urgencyName,
  urgencyNamed,
} from '../../src/domain/polling/urgency.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import { PollsUnderWay } from '../../src/features/polling/polls-under-way.ts';
import type { DueClaim } from '../../src/ports/schedule.ts';
import { madePayment } from '../support/made-payment.ts';
import { URGENCY_RULES as RULES } from '../support/urgency-rules.ts';

const T0 = new Date('2026-11-20T12:00:00.000Z');
const AWAITING = madePayment(T0);

const later = (ms: number): Date => new Date(T0.getTime() + ms);
const inFlight = (more: Partial<Payment> = {}): Payment => ({ ...AWAITING, status: 'EXECUTING', ...more });

/** A failure names the class in words. */
function shownPoll(...of: Parameters<typeof nextPoll>): { inMs: number | null; urgency: string } {
  const { inMs, urgency } = nextPoll(...of);
  return { inMs, urgency: urgencyName(urgency) };
}

describe('the class of a payment', () => {
  it('is attended just after its creation, and unattended once nobody has asked for it for a while', () => {
    expect(shownPoll(AWAITING, later(89_000), RULES).urgency).toBe('attended');
    expect(shownPoll(AWAITING, later(90_000), RULES).urgency).toBe('unattended');
  });

  it('is attended again while somebody asks for it', () => {
    const asked = later(600_000);
    expect(shownPoll(AWAITING, later(660_000), RULES, asked).urgency).toBe('attended');
    expect(shownPoll(AWAITING, later(690_000), RULES, asked).urgency).toBe('unattended');
  });

  it('is in flight after the deposit, whoever asks, and watching once it has ended', () => {
    expect(shownPoll(inFlight(), later(1), RULES, later(0)).urgency).toBe('in_flight');
    const watched = { ...AWAITING, tracking: 'watching', status: 'FAILED', endedAt: T0 } as const;
    expect(shownPoll(watched, later(1), RULES, later(0)).urgency).toBe('watching');
  });
});

describe('the classes', () => {
  it('are stored as numbers, the most urgent first, and shown as words', () => {
    expect(URGENCY).toEqual({ inFlight: 0, attended: 1, unattended: 2, watching: 3 });
    const names = Object.values(URGENCY).map(urgencyName);
    expect(names).toEqual(['in_flight', 'attended', 'unattended', 'watching']);
    expect(names.map(urgencyNamed)).toEqual([0, 1, 2, 3]);
  });

  it('let a closed payment alone, whatever its status', () => {
    for (const status of STATUSES)
      expect(shownPoll({ ...AWAITING, status, tracking: 'closed' }, T0, RULES)).toEqual({
        inMs: null,
        urgency: 'watching',
      });
  });
});

describe('a poll after failures', () => {
  it('waits twice as long after each, up to a minute, and never less than the interval', () => {
    expect([0, 1, 2, 3, 4, 5, 100].map((failures) => backoffMs(failures, RULES))).toEqual([
      7_000, 7_000, 14_000, 28_000, 56_000, 60_000, 60_000,
    ]);
    expect(backoffMs(3, { ...RULES, pollIntervalMs: 90_000 })).toBe(90_000);
  });
});

describe('money in flight', () => {
  it('is polled as often as the gap allows when the quote promises nothing', () => {
    expect(nextPoll(inFlight(), later(0), RULES).inMs).toBe(5_050);
    expect(nextPoll(inFlight({ status: 'DEPOSIT_RECEIVED' }), later(60_000), RULES).inMs).toBe(5_050);
  });

  it('is left alone for up to two intervals in the first fifth of the time that the quote promises', () => {
    const slow = inFlight({ expectedMs: 120_000 });
    expect(nextPoll(slow, later(0), RULES).inMs).toBe(14_000);
    expect(nextPoll(slow, later(14_000), RULES).inMs).toBe(10_000);
    expect(nextPoll(slow, later(24_000), RULES).inMs).toBe(5_050);
    expect(nextPoll(slow, later(600_000), RULES).inMs).toBe(5_050);
    expect(nextPoll(inFlight({ expectedMs: 20_000 }), later(0), RULES).inMs).toBe(5_050);
  });

  it('is too early for a fifth of the estimate, by whole milliseconds, and not at all without one', () => {
    expect(nextPoll(inFlight({ expectedMs: 30_003 }), T0, RULES).inMs).toBe(6_001);
    expect(earlyMs(inFlight({ expectedMs: 100_000, progressAt: later(1) }), T0)).toBe(20_000);
    expect(earlyMs(inFlight(), later(7))).toBe(-7);
  });

  it('is polled at the usual interval once it is long overdue', () => {
    expect(nextPoll(inFlight(), later(140_000), RULES).inMs).toBe(5_050);
    expect(nextPoll(inFlight(), later(140_001), RULES).inMs).toBe(7_000);
    expect(nextPoll(inFlight({ expectedMs: 120_000 }), later(600_001), RULES).inMs).toBe(7_000);
  });
});

describe('a payment that ended in the future, by the clock of the replica that saw it', () => {
  it('is watched as one that has just ended, and never within the gap', () => {
    for (const aheadMs of [1, 600_000, 3_600_000]) {
      const watched = {
        ...AWAITING,
        tracking: 'watching',
        status: 'FAILED',
        endedAt: later(aheadMs),
      } as const;
      expect(shownPoll(watched, T0, RULES)).toEqual({ inMs: 30_000, urgency: 'watching' });
      const rare = { ...RULES, gapMs: 60_600, pollIntervalMs: 60_600, inFlightMs: 60_600 };
      expect(nextPoll(watched, T0, rare).inMs).toBe(60_600);
    }
  });

  it('has no interval below the gap, whenever it was created, moved or ended', () => {
    const when = fc.integer({ min: -10_000_000, max: 10_000_000 }).map(later);
    const any = fc.record({
      status: fc.constantFrom(...STATUSES),
      tracking: fc.constantFrom('active' as const, 'watching' as const),
      createdAt: when,
      progressAt: when,
      endedAt: fc.option(when),
      expiresAt: fc.option(when),
      expectedMs: fc.option(fc.integer({ min: 1, max: 86_400_000 })),
    });
    fc.assert(
      fc.property(any, fc.option(when), (times, hintedAt) => {
        const { inMs } = nextPoll({ ...AWAITING, ...times }, T0, RULES, hintedAt);
        if (inMs !== null) expect(inMs).toBeGreaterThanOrEqual(RULES.gapMs);
      }),
    );
  });
});

describe('the late watch', () => {
  it('grows by half of the time that it has lasted, to whole milliseconds, and ends', () => {
    const ended = { ...AWAITING, tracking: 'watching', status: 'FAILED', endedAt: T0 } as const;
    const after = (ms: number): number | null => nextPoll(ended, later(ms), RULES).inMs;
    expect([0, 1, 60_000, RULES.lateWatchMs - 1, RULES.lateWatchMs].map(after)).toEqual([
      30_000,
      30_001,
      60_000,
      7_000,
      null,
    ]);
    expect(nextPoll(ended, T0, { ...RULES, lateWatchMs: 0 }).inMs).toBeNull();
  });
});

describe('after the completion', () => {
  const completed = (endedAt: Date): Payment => ({
    ...AWAITING,
    status: 'COMPLETED',
    tracking: 'watching',
    endedAt,
  });

  it.each([
    ['a minute after it', 0, 60],
    ['ten minutes after it', 60, 540],
    ['ten minutes after it, by a clock that is behind', 54, 546],
    ['a minute after it, once a client has asked early', 53, 7],
    ['an hour after it', 601, 2_999],
    ['an hour after it, where that after ten minutes has come late', 3_000, 600],
    ['six hours after it', 3_600, 18_000],
    ['a day after it', 21_700, 64_700],
    ['a day after it, where all have come late', 50_000, 36_400],
    ['no more', 77_760, null],
    ['no more, however late the last one came', 900_000, null],
  ])('the next poll comes %s', (_what, sinceS, inS) => {
    const next = shownPoll(completed(T0), later(sinceS * 1_000), RULES, later(0));
    expect(next).toEqual({ inMs: inS === null ? null : inS * 1_000, urgency: 'watching' });
  });

  it('there are five polls at most, however late each comes', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1, max: 100, noNaN: true })), (factors) => {
        let polls = 0;
        for (let atMs = 0; ; polls += 1) {
          const { inMs } = nextPoll(completed(T0), later(atMs), RULES);
          if (inMs === null) break;
          atMs += inMs * (factors[polls] ?? 1);
        }
        expect(polls).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe('the poll just after the expiry', () => {
  it.each([
    ['in place of the next one', 5_000, 6_500],
    ['in place of the next one, a little later', 12_000, 13_500],
    ['not sooner than the gap allows', 3_000, 7_000],
    ['not sooner than an interval in flight', 3_550, 7_000],
    ['just after an interval in flight', 3_551, 5_051],
    ['not while it is far away', 12_500, 7_000],
    ['not once it was made', -2_000, 7_000],
  ])('comes %s', (_what, expiresInMs, inMs) => {
    expect(nextPoll({ ...AWAITING, expiresAt: later(expiresInMs) }, T0, RULES).inMs).toBe(inMs);
  });
});

describe('the estimate of a quote', () => {
  it.each([
    ['30s', 30_000],
    ['30 seconds', 30_000],
    ['~2 minutes', 120_000],
    ['1m 30s', 90_000],
    ['2-3 min', 180_000],
    ['1.5 hours', 5_400_000],
    ['500ms', 500],
    ['45', 45_000],
    [45, 45_000],
    ['1 ms', 1],
    ['1 millisecond', 1],
    ['1 second', 1_000],
    ['2 milliseconds', 2],
    ['3 secs', 3_000],
    ['3 sec', 3_000],
    ['4 mins', 240_000],
    ['1 minute', 60_000],
    ['1 m', 60_000],
    ['2 hrs', 7_200_000],
    ['1 hr', 3_600_000],
    ['3h', 10_800_000],
    ['1 Hour 30 MIN', 5_400_000],
    [' 45 ', 45_000],
    ['1.5', 1_500],
    ['0.1234', null],
    [0.0015, 2],
    ['24h', 86_400_000],
    ['24h 1ms', null],
    [86_400, 86_400_000],
    [86_401, null],
    [0, null],
    ['2 apples and 3 s', 3_000],
    ['5 smoke', null],
    ['5 xms', null],
    [`${'x'.repeat(98)}5s`, 5_000],
    [`${'x'.repeat(99)}5s`, null],
  ])('%p is read as %p ms', (text, ms) => {
    expect(readEstimateMs(text)).toBe(ms);
  });

  it.each([
    null,
    undefined,
    '',
    'soon',
    '0s',
    -5,
    Number.NaN,
    '3 days',
    '2 months',
    '9 am',
    '1 half',
    '5 th',
    '7 msat',
    '99999h',
    {},
    ['30s'],
    'x'.repeat(5_000),
  ])('%p says nothing', (text) => {
    expect(readEstimateMs(text)).toBeNull();
  });
});

describe('a lease', () => {
  it('is short at first, and as long as a request may take once a request proves to be slow', () => {
    const rules = new PollingSettings(RULES, 900_000, 5_000, 10_000);
    expect([rules.firstLeaseMs, rules.leaseMs]).toEqual([5_050, 12_000]);
    expect(new PollingSettings(RULES, 1, 20_000, 5_000).leaseMs).toBe(21_200);
    const asyncCommit = new PollingSettings(RULES, 900_000, 0, 10_000);
    expect([asyncCommit.firstLeaseMs, asyncCommit.leaseMs]).toEqual([2_000, 12_000]);
    // Holds with time to spare: after the longest wait for a request, the round that finds slow requests, and the database's
    // answer.
    for (const { firstLeaseMs, slowAfterMs } of [rules, asyncCommit])
      expect(firstLeaseMs - 1_000 - slowAfterMs - 250).toBeGreaterThanOrEqual(250);
  });

  it('of a slow request outlasts its time-out and the gap after it', () => {
    for (const [gapMs, timeoutMs] of [
      [5_000, 5_000],
      [0, 100],
      [20_000, 5_000],
      [100, 60_000],
    ] as const) {
      const { slowAfterMs, slowLeaseMs } = new PollingSettings(RULES, 900_000, gapMs, timeoutMs);
      expect(slowAfterMs + slowLeaseMs).toBeGreaterThanOrEqual(timeoutMs + gapMs + 500);
    }
  });
});

describe('the polls under way', () => {
  it('extend the lease of a slow request once, and again while it goes on', () => {
    let now = 0;
    let check = (): void => undefined;
    let extended: readonly string[] = [];
    const extendLeases = async (claims: readonly DueClaim[]): Promise<void> => {
      extended = claims.map(({ quoteId }) => quoteId);
    };
    const timers = {
      nowMs: () => now,
      after: (_ms: number, then: () => void) => ((check = then), () => (check = () => undefined)),
    };
    const underWay = new PollsUnderWay({ extendLeases }, { slowAfterMs: 1_000, slowLeaseMs: 8_000 }, timers);
    const claim = { quoteId: 'q-1', knownDigest: 'x', scheduledInMs: 7_000 } as DueClaim;
    const request = underWay.begin({ claims: [claim], sendByMs: 0 });
    const extendedAt = (at: number): readonly string[] => {
      [now, extended] = [at, []];
      check();
      return extended;
    };
    expect([999, 1_000, 1_250, 4_999].map(extendedAt)).toEqual([[], ['q-1'], [], []]);
    expect(request.claims).toEqual([{ quoteId: 'q-1', knownDigest: null, scheduledInMs: null }]);
    expect([5_000, 8_999, 9_000].map(extendedAt)).toEqual([['q-1'], [], ['q-1']]);
    underWay.stop();
    expect(extendedAt(13_000)).toEqual([]);
    expect([underWay.end(request), underWay.end(request)]).toEqual([true, false]);
  });
});
