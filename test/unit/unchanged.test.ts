import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import { unchangedUntil } from '../../src/domain/polling/unchanged.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim } from '../../src/ports/schedule.ts';
import { isUnchanged, applyPoll } from '../../src/features/polling/apply-poll.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';

const RULES = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000);
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
  const text = JSON.stringify({ status: from.status });
  const report = readReport(JSON.parse(text), text);
  if (report === null) throw new Error('not a report');
  const expiresAt = from.expiresInMs === null ? null : later(from.expiresInMs);
  const base = newPayment(
    { quoteId: 'q', provider: 'http', orderId: null, metadata: null, expiresAt, expectedMs: from.expectedMs },
    later(-from.ageMs - from.progressAgoMs),
  );
  const payment = {
    ...base,
    status: from.status as Payment['status'],
    progressAt: later(-from.progressAgoMs),
    reportDigest: report.digest,
  };
  const hintedAt = from.hintedAgoMs === null ? null : later(-from.hintedAgoMs);
  return { payment, answer: { kind: 'report', report }, hintedAt };
}

/** The claim of the next poll, as this one has left it. */
function claimAfter({ payment, answer, hintedAt }: Seen): Claim {
  const claim: Claim = {
    paymentId: '1',
    quoteId: 'q',
    token: '1',
    knownDigest: null,
    storedDigest: '',
    payment,
    silentSince: null,
    failures: 0,
    scheduledInMs: null,
    nextInMs: 7_000,
    urgency: 0,
    hintedAt,
    answeredAgoMs: 7_000,
  };
  const poll = applyPoll(claim, answer, T0, RULES);
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
        expect(isUnchanged(applyPoll(claim, seen.answer, at, RULES))).toBe(true);
      }),
      { numRuns: 5_000 },
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
  const awaiting = newPayment(
    { quoteId: 'q', provider: 'http', orderId: null, metadata: null, expiresAt: null, expectedMs: null },
    T0,
  );
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
