import { describe, expect, it } from '@jest/globals';

import type { EventDraft } from '../../src/domain/event/event.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { URGENCY } from '../../src/domain/polling/urgency.ts';
import {
  applyUnaskedPoll,
  countedFromRequest,
  changesNothing,
  outcomeOf,
} from '../../src/features/polling/apply-poll.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim, Poll } from '../../src/ports/schedule.ts';
import { claimOf as anyClaim } from '../support/claim.ts';
import { madePayment } from '../support/made-payment.ts';
import { POLLING, pollResult, says } from '../support/poll-results.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const { inFlightMs, pollIntervalMs } = URGENCY_RULES;

const REPORTED = says('EXECUTING');
const STORED = REPORTED.report;
const SILENCE: StatusAnswer = {
  kind: 'unavailable',
  httpStatus: null,
  reason: 'timeout',
  retryAfterMs: null,
};

const inFlight: Payment = {
  ...madePayment(NOW),
  status: 'EXECUTING',
  reportDigest: STORED.digest,
};

/** The last interval was that of a payment in flight. */
const claimOf = (payment: Payment, more: Partial<Claim> = {}): Claim =>
  anyClaim(payment, { scheduledInMs: inFlightMs, nextInMs: inFlightMs, ...more });

describe('the interval after a slow answer', () => {
  it('counts from the request', () => {
    const poll = pollResult(claimOf(inFlight), REPORTED, NOW);
    expect([poll.askedAgoMs, countedFromRequest(poll, 4_900).askedAgoMs]).toEqual([0, 4_900]);
  });

  it('counts from the answer after a failure', () => {
    const poll = pollResult(claimOf(inFlight), SILENCE, NOW);
    expect(countedFromRequest(poll, 4_900)).toBe(poll);
  });

  it('is not shortened where the next poll is the one just after the expiry', () => {
    const expiresAt = new Date(NOW.getTime() + pollIntervalMs);
    const awaiting = { ...inFlight, status: 'AWAITING_DEPOSIT' as const, expiresAt };
    const poll = pollResult(claimOf(awaiting), says('AWAITING_DEPOSIT'), NOW);
    expect(countedFromRequest(poll, 4_900)).toBe(poll);
    const later = { ...awaiting, expiresAt: new Date(NOW.getTime() + 10 * pollIntervalMs) };
    const usual = pollResult(claimOf(later), says('AWAITING_DEPOSIT'), NOW);
    expect(countedFromRequest(usual, 4_900).askedAgoMs).toBe(4_900);
  });

  it('is none for a payment that is polled no more', () => {
    const closed: Payment = { ...inFlight, status: 'COMPLETED', tracking: 'closed' };
    const done = pollResult(claimOf(closed), says('COMPLETED'), NOW);
    expect(done.next.inMs).toBeNull();
    expect(countedFromRequest(done, 4_900).askedAgoMs).toBe(4_900);
  });
});

describe('the poll of an answer', () => {
  it('charges the payment with no failure where there is a report', () => {
    const poll = pollResult(claimOf(inFlight), REPORTED, NOW);
    expect(poll).toMatchObject({ isSilent: false, isCharged: false, next: { inMs: inFlightMs } });
  });

  it('makes the payment back off from a failure that is its own', () => {
    const poll = pollResult(claimOf(inFlight, { failures: 1 }), SILENCE, NOW);
    expect(poll).toMatchObject({ isSilent: true, isCharged: true, next: { inMs: 2 * pollIntervalMs } });
  });

  it('stalls after a silence that was long enough, and not with its first failure', () => {
    const reasons = (silentForMs: number | null): unknown[] => {
      const silentSince = silentForMs === null ? null : new Date(NOW.getTime() - silentForMs);
      return pollResult(claimOf(inFlight, { silentSince }), SILENCE, NOW).events.map(({ reason }) => reason);
    };
    expect([null, 899_999, 900_000].map(reasons)).toEqual([[], [], ['provider_silent']]);
  });

  it('keeps the usual interval where the whole provider fails, or was not asked', () => {
    const answered = pollResult(claimOf(inFlight, { failures: 9 }), SILENCE, NOW, false);
    const unasked = applyUnaskedPoll(claimOf(inFlight, { failures: 9 }), NOW, POLLING);
    for (const poll of [answered, unasked])
      expect(poll).toMatchObject({ isSilent: true, isCharged: false, next: { inMs: inFlightMs } });
  });

  it('waits as long as a Retry-After asks, up to five minutes', () => {
    const inMs = (retryAfterMs: number): number | null =>
      pollResult(claimOf(inFlight), { ...SILENCE, retryAfterMs }, NOW).next.inMs;
    expect([1_000, 90_000, 300_000, 300_001].map(inMs)).toEqual([pollIntervalMs, 90_000, 300_000, 300_000]);
  });

  it('takes a report about another quote for none', () => {
    const answer = says('COMPLETED', { quoteId: 'other' });
    expect(pollResult(claimOf(inFlight), answer, NOW)).toMatchObject({
      isSilent: true,
      events: [],
      payment: { status: 'EXECUTING' },
    });
  });

  describe('a failed poll of the late watch', () => {
    const usualMs = URGENCY_RULES.watchFromMs + 3 * 3_600_000;
    const watchedFor = (ms: number): Payment => ({
      ...inFlight,
      status: 'FAILED',
      tracking: 'watching',
      endedAt: new Date(NOW.getTime() - ms),
    });
    const watched = watchedFor(6 * 3_600_000);

    it('is repeated soon, then ever more slowly up to the interval of the watch', () => {
      const waitAfter = (failures: number, retryAfterMs: number | null = null): unknown =>
        pollResult(claimOf(watched, { failures }), { ...SILENCE, retryAfterMs }, NOW).next.inMs;
      expect([0, 1, 4, 10, 11, 900].map((failures) => waitAfter(failures))).toEqual([
        pollIntervalMs,
        2 * pollIntervalMs,
        16 * pollIntervalMs,
        1_024 * pollIntervalMs,
        usualMs,
        usualMs,
      ]);
      expect(waitAfter(0, 90_000)).toBe(90_000);
    });

    it('is repeated within a minute where the provider fails as a whole, or was not asked', () => {
      const claim = claimOf(watched, { failures: 9 });
      const answered = pollResult(claim, SILENCE, NOW, false);
      for (const poll of [answered, applyUnaskedPoll(claim, NOW, POLLING)])
        expect(poll).toMatchObject({ isCharged: false, next: { inMs: 60_000, urgency: URGENCY.watching } });
      const young = applyUnaskedPoll(claimOf(watchedFor(2_000)), NOW, POLLING);
      expect(young.next.inMs).toBe(URGENCY_RULES.watchFromMs + 1_000);
    });

    it('waits for the interval of the watch where the provider has refused it', () => {
      const refused: StatusAnswer = { kind: 'refused', httpStatus: 404, message: 'unknown' };
      const waitAfter = (payment: Payment): unknown =>
        pollResult(claimOf(payment, { failures: 9 }), refused, NOW).next.inMs;
      expect(waitAfter(watched)).toBe(usualMs);
      // A refused payment backs off, too.
      expect(waitAfter(watchedFor(0))).toBe(60_000);
    });
  });

  it('ends the late watch with a last poll, which a failure repeats five times', () => {
    const over: Payment = {
      ...inFlight,
      status: 'EXPIRED',
      tracking: 'watching',
      endedAt: new Date(NOW.getTime() - URGENCY_RULES.lateWatchMs),
    };
    const after = (failures: number): unknown => {
      const { next, payment } = applyUnaskedPoll(claimOf(over, { failures }), NOW, POLLING);
      return [next.inMs, payment.tracking];
    };
    expect([0, 4, 5].map(after)).toEqual([
      [pollIntervalMs, 'watching'],
      [pollIntervalMs, 'watching'],
      [null, 'closed'],
    ]);
    const charged = (failures: number): unknown => {
      const { next, payment } = pollResult(claimOf(over, { failures }), SILENCE, NOW);
      return [next.inMs, payment.tracking];
    };
    expect([4, 5].map(charged)).toEqual([
      [60_000, 'watching'],
      [null, 'closed'],
    ]);
    expect(pollResult(claimOf(over), says('EXPIRED'), NOW).payment.tracking).toBe('closed');
  });
});

describe('a poll after the completion', () => {
  const completedFor = (hours: number): Payment => ({
    ...inFlight,
    status: 'COMPLETED',
    tracking: 'watching',
    endedAt: new Date(NOW.getTime() - hours * 3_600_000),
  });
  const next = (poll: Poll): unknown => [poll.next.inMs, poll.events.length, poll.payment.stalls];

  it.each([
    ['is repeated soon after a failure, and never reported as a silence', 7, 0, 7_000],
    ['is repeated more and more slowly', 7, 4, 112_000],
    ['is repeated five times at the end', 24, 4, 60_000],
    ['ends the series after that', 24, 5, null],
  ])('%s', (_what, hours, failures, inMs) => {
    const silentSince = new Date(NOW.getTime() - 3_600_000);
    const claim = claimOf(completedFor(hours), { failures, silentSince });
    expect(next(pollResult(claim, SILENCE, NOW))).toEqual([inMs, 0, []]);
  });

  it('changes nothing of the payment, the last one neither', () => {
    const payment = { ...completedFor(24), reportDigest: says('COMPLETED').report.digest };
    const poll = pollResult(claimOf(payment), says('COMPLETED'), NOW);
    expect([next(poll), poll.payment, poll.report]).toEqual([[null, 0, []], payment, null]);
    expect(poll.payment).toBe(payment);
  });
});

describe('a poll is recorded', () => {
  const poll = pollResult(claimOf(inFlight), REPORTED, NOW);
  const event: EventDraft = {
    type: 'payment.updated',
    sequence: 2,
    status: 'EXECUTING',
    previousStatus: 'EXECUTING',
    late: false,
    reportText: undefined,
  };

  it('not where it changes nothing', () => {
    expect(changesNothing(poll)).toBe(true);
  });

  it.each<[string, Partial<Poll>]>([
    ['an event', { events: [event] }],
    ['another report', { report: STORED }],
    ['a change of the payment', { payment: { ...inFlight } }],
    ['a silence', { isSilent: true }],
    ['an end of failures', { claim: claimOf(inFlight, { failures: 1 }) }],
    ['no next poll', { next: { inMs: null, urgency: 0 } }],
    [
      'no next poll, as scheduled',
      {
        claim: claimOf(inFlight, { scheduledInMs: null }),
        next: { inMs: null, urgency: 0 },
      },
    ],
    ['another interval', { next: { inMs: 1, urgency: 0 } }],
    ['another urgency', { next: { ...poll.next, urgency: 1 } }],
  ])('where there is %s', (_what, change) => {
    expect(changesNothing({ ...poll, ...change })).toBe(false);
  });
});

describe('the outcome of a poll, as metrics and traces name it', () => {
  const REPORT = { kind: 'report', report: {} };
  const unavailable = (httpStatus: number | null): object => ({ kind: 'unavailable', httpStatus });
  it.each<[outcome: string, answer: object, poll: object]>([
    ['changed', REPORT, { events: [{}] }],
    ['unchanged', REPORT, {}],
    ['foreign', REPORT, { isSilent: true, events: [{}] }],
    ['throttled', unavailable(429), {}],
    ['unavailable', unavailable(500), {}],
    ['unavailable', unavailable(null), {}],
    ['refused', { kind: 'refused', httpStatus: 404 }, {}],
    ['credentials', { kind: 'credentials' }, {}],
  ])('is %s', (outcome, answer, poll) => {
    const made = { isSilent: false, events: [], ...poll } as unknown as Poll;
    expect(outcomeOf(made, answer as StatusAnswer)).toBe(outcome);
  });
});
