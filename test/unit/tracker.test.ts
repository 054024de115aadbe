import { describe, expect, it } from '@jest/globals';

import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { URGENCY as URGENCY_CLASS } from '../../src/domain/polling/urgency.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim } from '../../src/ports/schedule.ts';
import { isUnchanged, applyPoll } from '../../src/features/polling/apply-poll.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';

const T0 = new Date('2026-11-20T12:00:00.000Z');
const URGENCY = {
  gapMs: 5_050,
  pollIntervalMs: 7_000,
  inFlightMs: 5_050,
  attendedMs: 90_000,
  lateWatchMs: 3_600_000,
  watchFromMs: 30_000,
  watchUpToMs: 43_200_000,
};
const RULES = new PollingSettings(URGENCY, 900_000, 5_000, 5_000);
const SILENT: StatusAnswer = { kind: 'unavailable', httpStatus: null, reason: 'timeout', retryAfterMs: null };

function claimOf(more: Partial<Payment> = {}, claim: Partial<Claim> = {}): Claim {
  const payment = {
    ...newPayment(
      { quoteId: 'q', provider: 'http', orderId: null, metadata: null, expiresAt: null, expectedMs: null },
      T0,
    ),
    ...more,
  };
  return {
    paymentId: '1',
    quoteId: 'q',
    knownDigest: null,
    storedDigest: '',
    token: '1',
    payment,
    silentSince: null,
    failures: 0,
    scheduledInMs: 7_000,
    nextInMs: 7_000,
    urgency: URGENCY_CLASS.attended,
    hintedAt: null,
    answeredAgoMs: 7_000,
    ...claim,
  };
}

function says(fields: Record<string, unknown>): StatusAnswer {
  const text = JSON.stringify(fields);
  const report = readReport(fields, text);
  if (report === null) throw new Error('not a report');
  return { kind: 'report', report };
}

const later = (ms: number): Date => new Date(T0.getTime() + ms);

describe('a poll', () => {
  it('that finds nothing new has nothing to record', () => {
    const first = applyPoll(claimOf(), says({ status: 'AWAITING_DEPOSIT' }), T0, RULES);
    expect(isUnchanged(first)).toBe(false);
    const again = applyPoll(
      claimOf(first.payment),
      says({ status: 'AWAITING_DEPOSIT' }),
      later(7_000),
      RULES,
    );
    expect(isUnchanged(again)).toBe(true);
  });

  it.each([
    ['after a silence', { failures: 1 }],
    ['when the claim could not schedule by the usual interval', { scheduledInMs: null }],
  ])('is recorded %s', (_when, claim) => {
    const { payment } = applyPoll(claimOf(), says({ status: 'AWAITING_DEPOSIT' }), T0, RULES);
    expect(
      isUnchanged(applyPoll(claimOf(payment, claim), says({ status: 'AWAITING_DEPOSIT' }), T0, RULES)),
    ).toBe(false);
  });

  it('refuses a report about another quote: it is silence', () => {
    const poll = applyPoll(claimOf(), says({ quoteId: 'other', status: 'COMPLETED' }), T0, RULES);
    expect(poll).toMatchObject({
      isSilent: true,
      events: [],
      report: null,
      payment: { status: 'AWAITING_DEPOSIT' },
    });
  });

  it('backs off from a payment that can not be read, and stalls it after a while', () => {
    expect(applyPoll(claimOf({}, { failures: 3 }), SILENT, later(30_000), RULES).next.inMs).toBe(56_000);
    const stalled = applyPoll(claimOf({}, { failures: 9, silentSince: T0 }), SILENT, later(900_000), RULES);
    expect(stalled.events.map((event) => [event.type, event.reason])).toEqual([
      ['payment.stalled', 'provider_silent'],
    ]);
    const first = applyPoll(claimOf(), SILENT, later(900_000), RULES);
    expect(first.events).toEqual([]);
  });

  it('waits as long as the provider asks for, within reason', () => {
    const asks = (retryAfterMs: number): StatusAnswer => ({
      kind: 'unavailable',
      httpStatus: 503,
      reason: 'status 503',
      retryAfterMs,
    });
    expect(applyPoll(claimOf(), asks(90_000), T0, RULES).next.inMs).toBe(90_000);
    expect(applyPoll(claimOf(), asks(1_000), T0, RULES).next.inMs).toBe(7_000);
    expect(applyPoll(claimOf(), asks(86_400_000), T0, RULES).next.inMs).toBe(300_000);
  });

  it('closes the late watch when its time is over, at the latest after some last polls that failed', () => {
    const watched = { status: 'EXPIRED', tracking: 'watching', endedAt: T0 } as const;
    const failed = applyPoll(claimOf(watched, { failures: 4 }), SILENT, later(3_600_000), RULES);
    expect(failed).toMatchObject({ next: { inMs: 60_000 }, payment: { tracking: 'watching' } });
    for (const answer of [says({ status: 'EXPIRED' }), SILENT]) {
      const poll = applyPoll(claimOf(watched, { failures: 5 }), answer, later(3_600_000), RULES);
      expect(poll).toMatchObject({
        events: [],
        next: { inMs: null },
        payment: { tracking: 'closed', status: 'EXPIRED' },
      });
      expect(isUnchanged(poll)).toBe(false);
    }
  });

  it('polls an expired payment again after 30 s, and at an active one after the interval', () => {
    expect(applyPoll(claimOf(), says({ status: 'EXPIRED' }), T0, RULES).next.inMs).toBe(30_000);
    expect(applyPoll(claimOf(), says({ status: 'EXECUTING' }), T0, RULES).next.inMs).toBe(5_050);
  });

  it('leases for a request and a little, and never less than the gap and the longest wait for a request', () => {
    expect(RULES.leaseMs).toBe(7_000);
    expect(new PollingSettings(URGENCY, 1, 20_000, 5_000).leaseMs).toBe(21_200);
  });
});
