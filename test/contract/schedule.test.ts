import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { NO_SCALE } from '../../src/domain/polling/interval-scale.ts';
import { URGENCY, type UrgencyClass } from '../../src/domain/polling/urgency.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { ProviderRateLimit } from '../../src/ports/provider-rate-limit.ts';
import type { Claim, DueClaim, RecordOutcome } from '../../src/ports/schedule.ts';
import { applyPoll, applyUnaskedPoll, changesNothing } from '../../src/features/polling/apply-poll.ts';
import {
  POLLING_STAGES,
  type PollingReplica,
  type PollingStage,
  type ScheduleRow,
} from '../support/polling-stages.ts';
import { POLLING, says } from '../support/poll-results.ts';
import { paymentToAdd, URGENCY_RULES } from '../support/stores.ts';

const INTERVAL_MS = URGENCY_RULES.pollIntervalMs;
const LEASE_MS = 5_100;
const POLL_MS = 2_000;
const MINUTE_MS = 60_000;
const DOWN: StatusAnswer = { kind: 'unavailable', httpStatus: 500, reason: 'status 500', retryAfterMs: null };

const idsOf = (claims: readonly DueClaim[]): string[] => claims.map((claim) => claim.quoteId);

/** The promises of the port Schedule, in memory and in PostgreSQL. */
describe.each(POLLING_STAGES)('the schedule %s', (name, open) => {
  let stage: PollingStage;
  let one: PollingReplica;
  let two: PollingReplica;
  let rateLimit: ProviderRateLimit;

  beforeAll(async () => {
    stage = await open();
    ({ rateLimit } = await stage.replica(0));
  });
  beforeEach(async () => {
    await stage.clear();
    ({ one, two } = stage);
  });

  async function added(more: Parameters<typeof paymentToAdd>[1] = {}): Promise<string> {
    const quoteId = randomUUID();
    await one.payments.add(paymentToAdd(quoteId, more));
    return quoteId;
  }

  /** A payment that has been due for `dueForMs` in this class, at the usual interval. */
  async function due(urgency: UrgencyClass, dueForMs: number): Promise<string> {
    const quoteId = await added();
    const polledAgoMs = dueForMs + INTERVAL_MS;
    await stage.set(quoteId, { urgency, intervalMs: INTERVAL_MS, dueInMs: -dueForMs, polledAgoMs });
    return quoteId;
  }

  /** A payment that was polled and answered a minute ago, and is due in a minute. */
  async function resting(urgency: UrgencyClass = URGENCY.unattended): Promise<string> {
    const quoteId = await added();
    const times = { dueInMs: MINUTE_MS, polledAgoMs: MINUTE_MS, answeredAgoMs: MINUTE_MS };
    await stage.set(quoteId, { urgency, intervalMs: INTERVAL_MS, ...times });
    return quoteId;
  }

  async function closed(status: 'EXPIRED' | 'FAILED' | 'COMPLETED'): Promise<string> {
    const quoteId = await added();
    await stage.close(quoteId, status);
    return quoteId;
  }

  async function row(quoteId: string): Promise<ScheduleRow> {
    const found = await stage.row(quoteId);
    if (found === null) throw new Error(`${quoteId} is not scheduled`);
    return found;
  }

  const claimed = async (replica = one): Promise<string[]> =>
    idsOf(await replica.schedule.claimDue(10, LEASE_MS));

  async function claimOne(replica = one): Promise<Claim> {
    const [claim] = await replica.schedule.read(await replica.schedule.claimDue(1, LEASE_MS));
    if (claim === undefined) throw new Error('nothing is due');
    return claim;
  }

  async function claimNow(quoteId: string, replica = one): Promise<Claim> {
    const claim = await replica.schedule.claimNow(quoteId, 0, LEASE_MS);
    if (typeof claim === 'string') throw new Error(claim);
    return claim;
  }

  function record(claim: Claim, answer: StatusAnswer, isCharged = true): Promise<RecordOutcome> {
    return one.schedule.record([applyPoll(claim, answer, stage.now(), POLLING, isCharged)]);
  }

  async function typesOf(quoteId: string): Promise<string[]> {
    const events = (await one.payments.eventsOf(quoteId))?.events ?? [];
    return events.map((body) => (JSON.parse(body) as { type: string }).type.replace('payment.', ''));
  }

  describe('a new payment', () => {
    it('is due after an interval, up to half of one later', async () => {
      const quoteId = await added();
      const { urgency, dueInMs, intervalMs } = await row(quoteId);
      expect([urgency, intervalMs]).toEqual([URGENCY.attended, INTERVAL_MS]);
      expect(dueInMs).toBeGreaterThan(INTERVAL_MS - 1_000);
      expect(dueInMs).toBeLessThanOrEqual(1.5 * INTERVAL_MS);
      expect(await claimed()).toEqual([]);
    });

    it('waits for its scaled interval, and no longer than until just after its expiry', async () => {
      await rateLimit.setScale([1, 10, 1, 1]);
      const scaled = await added();
      const expiring = await added({ expiresAt: new Date(stage.now().getTime() + 20_000) });
      expect((await row(scaled)).dueInMs).toBeGreaterThan(5 * INTERVAL_MS);
      const { dueInMs } = await row(expiring);
      expect(dueInMs).toBeGreaterThan(20_000);
      expect(dueInMs).toBeLessThanOrEqual(21_500);
    });

    it('wakes the tracker of its process when it is due', async () => {
      const woken = one.due.wait(20_000, new AbortController().signal);
      await added();
      one.due.wake();
      expect(await woken).toBe(true);
    });
  });

  describe('a claim', () => {
    it('lets the late watch wait for open payments after a time of few polls, though not for ever', async () => {
      const watched = await due(URGENCY.watching, 6 * MINUTE_MS);
      const starved = await due(URGENCY.watching, 8 * MINUTE_MS);
      const open = await due(URGENCY.unattended, 1_000);
      const order: string[] = [];
      for (let turn = 0; turn < 3; turn += 1) order.push(...idsOf([await claimOne()]));
      expect(order).toEqual([starved, open, watched]);
    });

    it('of two replicas at once never takes a payment twice, in any class', async () => {
      for (let index = 0; index < 40; index += 1) await due((index % 4) as UrgencyClass, 1_000);
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).schedule.claimDue(10, LEASE_MS)),
      );
      const rest = await one.schedule.claimDue(100, LEASE_MS);
      const ids = [...claims, rest].flatMap(idsOf);
      expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
    });

    it('of the late watch that is lost costs no interval of it, which may be of hours', async () => {
      const quoteId = await due(URGENCY.watching, 0);
      await stage.set(quoteId, { intervalMs: 2 * 3_600_000 });
      const [claim] = await one.schedule.claimDue(1, LEASE_MS, { urgentMs: 0, othersMs: 300 });
      expect(claim).toMatchObject({ quoteId, scheduledInMs: null, knownDigest: null });
      expect(claim?.nextInMs).toBeCloseTo(LEASE_MS + 300, -1);
    });

    it('of a payment that was due for long polls it again within an interval, not closer than the lease', async () => {
      const quoteId = await due(URGENCY.unattended, 3_600_000);
      await claimOne();
      const { gapMs } = await row(quoteId);
      expect(gapMs).toBeGreaterThanOrEqual(LEASE_MS);
      expect(gapMs).toBeLessThanOrEqual(INTERVAL_MS);
    });

    it('names the interval that it has scheduled by, and none where the lease is longer', async () => {
      await due(URGENCY.unattended, 0);
      expect(await claimOne()).toMatchObject({ scheduledInMs: INTERVAL_MS });
      const quoteId = await due(URGENCY.unattended, 0);
      const [claim] = await one.schedule.claimDue(1, 60_000);
      expect(claim).toMatchObject({ scheduledInMs: null });
      expect((await row(quoteId)).gapMs).toBeCloseTo(60_000, -1);
    });

    it.each([
      ['money in flight', URGENCY.inFlight, 8_300],
      ['another payment', URGENCY.unattended, 8_700],
    ])(
      'holds %s for its spare beyond the lease, and keeps its own interval',
      async (_which, urgency, heldMs) => {
        const quoteId = await due(urgency, 0);
        const { gapMs } = await row(quoteId);
        const [claim] = await one.schedule.claimDue(1, gapMs, {
          urgentMs: 8_300 - gapMs,
          othersMs: 8_700 - gapMs,
        });
        expect(claim).toMatchObject({ scheduledInMs: expect.any(Number) });
        expect(claim?.nextInMs).toBeCloseTo(heldMs, -1);
      },
    );

    it('knows the digest of a report that changes nothing, until it has to be judged again', async () => {
      const quoteId = await due(URGENCY.unattended, 0);
      const first = await claimOne();
      expect(first.knownDigest).toBeNull();
      const answer = says('AWAITING_DEPOSIT');
      await record(first, answer);
      await stage.set(quoteId, { dueInMs: 0 });
      expect((await claimOne()).knownDigest).toBe(answer.report.digest);
      await stage.pass(3_600_000);
      expect((await claimOne()).knownDigest).toBeNull();
    });

    it('says how long ago the provider last answered, and when a client asked', async () => {
      const quoteId = await due(URGENCY.attended, 0);
      await one.schedule.hint([quoteId], LEASE_MS);
      const { answeredAgoMs, hintedAt } = await claimOne();
      expect(answeredAgoMs).toBeGreaterThanOrEqual(7_000);
      expect(hintedAt).toBeInstanceOf(Date);
    });

    it('is extended, unless another claim has taken the payment over', async () => {
      const quoteId = await due(URGENCY.unattended, 0);
      const claim = await claimOne();
      await one.schedule.extendLeases([claim], 30_000);
      expect((await row(quoteId)).dueInMs).toBeGreaterThan(28_000);
      await one.schedule.extendLeases([{ ...claim, token: '1' }], 300_000);
      await one.schedule.extendLeases([claim], 1_000);
      const { dueInMs } = await row(quoteId);
      expect(dueInMs).toBeGreaterThan(28_000);
      expect(dueInMs).toBeLessThanOrEqual(30_000);
    });

    it('reads its payment as it is now, and omits one that is not stored', async () => {
      const quoteId = await due(URGENCY.unattended, 0);
      const claim = await claimOne();
      await one.payments.label(quoteId, { orderId: 'A-1', metadata: null });
      const [again, ...others] = await one.schedule.read([
        { ...claim, paymentId: '0', quoteId: 'q-0' },
        claim,
      ]);
      expect(others).toEqual([]);
      expect(again?.payment.orderId).toBe('A-1');
    });
  });

  describe('a claim on demand', () => {
    it('is refused within the gap, and for a payment that is not known', async () => {
      const quoteId = await added();
      expect(await two.schedule.readyForPoll(quoteId, MINUTE_MS)).toBe('ready');
      const claim = await claimNow(quoteId);
      expect(claim).toMatchObject({ quoteId, scheduledInMs: null, knownDigest: null });
      expect((await row(quoteId)).gapMs).toBeCloseTo(LEASE_MS, 0);
      expect(await two.schedule.readyForPoll(quoteId, MINUTE_MS)).toBe('recent');
      expect(await two.schedule.claimNow(quoteId, MINUTE_MS, LEASE_MS)).toBe('recent');
      await stage.pass(MINUTE_MS);
      expect(await two.schedule.readyForPoll(quoteId, MINUTE_MS)).toBe('ready');
      expect(await one.schedule.readyForPoll('unknown', 0)).toBe('unknown');
      expect(await one.schedule.claimNow('unknown', 0, LEASE_MS)).toBe('unknown');
    });

    it('of a closed payment leaves nothing behind in the schedule', async () => {
      const quoteId = await closed('COMPLETED');
      const again = applyPoll(await claimNow(quoteId), says('COMPLETED'), stage.now(), POLLING);
      expect(changesNothing(again)).toBe(false);
      await one.schedule.record([again]);
      expect(await stage.row(quoteId)).toBeNull();
      expect(await one.payments.find(quoteId)).toMatchObject({ tracking: 'closed', nextPollAt: null });
    });
  });

  describe('a recorded poll', () => {
    it('moves the payment, stores its report and events, and schedules the next poll', async () => {
      const quoteId = await due(URGENCY.unattended, 0);
      expect(await record(await claimOne(), says('EXECUTING'))).toMatchObject({ stale: 0, outdated: [] });
      expect(await one.payments.find(quoteId)).toMatchObject({
        status: 'EXECUTING',
        reportText: '{"status":"EXECUTING"}',
      });
      expect(await typesOf(quoteId)).toEqual(['created', 'executing']);
      const { urgency, dueInMs } = await row(quoteId);
      expect(urgency).toBe(URGENCY.inFlight);
      expect(dueInMs).toBeGreaterThan(URGENCY_RULES.inFlightMs - 1_000);
      expect(dueInMs).toBeLessThanOrEqual(URGENCY_RULES.inFlightMs);
    });

    it('that is silent for no fault of the payment makes it wait no longer than usual', async () => {
      const charged = await due(URGENCY.unattended, 0);
      await record(await claimOne(), DOWN);
      const spared = await due(URGENCY.unattended, 0);
      await record(await claimOne(), DOWN, false);
      expect([(await row(charged)).failures, (await row(spared)).failures]).toEqual([1, 0]);
      expect((await row(spared)).intervalMs).toBe(INTERVAL_MS);
    });

    it('counts the silence from the first poll without an answer, and forgets it with the next answer', async () => {
      const quoteId = await added();
      await record(await claimNow(quoteId), says('AWAITING_DEPOSIT'));
      await record(await claimNow(quoteId), DOWN);
      const third = await claimNow(quoteId);
      expect(third).toMatchObject({ failures: 1, silentSince: expect.any(Date) });
      await record(third, DOWN);
      const fourth = await claimNow(quoteId);
      expect([fourth.failures, fourth.silentSince]).toEqual([2, third.silentSince]);
      await record(fourth, says('AWAITING_DEPOSIT'));
      expect(await claimNow(quoteId)).toMatchObject({ failures: 0, silentSince: null });
    });

    it('that comes back after its claim was taken over is counted, and changes nothing', async () => {
      const quoteId = await due(URGENCY.unattended, 0);
      const stale = await claimOne();
      await stage.set(quoteId, { dueInMs: 0 });
      const fresh = await claimOne(two);
      expect(await record(stale, says('COMPLETED'))).toMatchObject({ stale: 1, outdated: [] });
      expect((await one.payments.find(quoteId))?.status).toBe('AWAITING_DEPOSIT');
      expect(await record(fresh, says('COMPLETED'))).toMatchObject({ stale: 0, outdated: [] });
      expect((await one.payments.find(quoteId))?.status).toBe('COMPLETED');
    });

    it('whose claim was taken over is dropped even when both are recorded together', async () => {
      const quoteId = await added();
      const [stale, fresh] = [await claimNow(quoteId), await claimNow(quoteId, two)];
      const polls = [
        applyPoll(stale, says('COMPLETED'), stage.now(), POLLING),
        applyPoll(fresh, says('DEPOSIT_RECEIVED'), stage.now(), POLLING),
      ];
      expect(await one.schedule.record(polls)).toMatchObject({ stale: 1, outdated: [] });
      expect(await typesOf(quoteId)).toEqual(['created', 'deposit_received']);
    });

    it('of a payment that has changed since it was read is not written, and judged again', async () => {
      const quoteId = await due(URGENCY.unattended, 0);
      const claim = await claimOne();
      const outdated = { ...claim, payment: { ...claim.payment, sequence: 0 } };
      const polls = [applyPoll(outdated, says('COMPLETED'), stage.now(), POLLING)];
      expect(await one.schedule.record(polls)).toMatchObject({ stale: 0, outdated: polls });
      expect(await one.payments.find(quoteId)).toMatchObject({
        status: 'AWAITING_DEPOSIT',
        tracking: 'active',
      });
      // Another process polls the payment if this process ends before it judges the answer again.
      expect((await row(quoteId)).dueInMs).toBeGreaterThan(3_000);
      const [again] = await one.schedule.readAgain([claim]);
      expect(await record(again ?? claim, says('COMPLETED'))).toMatchObject({ stale: 0, outdated: [] });
      expect((await one.payments.find(quoteId))?.status).toBe('COMPLETED');
    });

    it('wakes the tracker of its process when the next poll is due', async () => {
      await due(URGENCY.unattended, 0);
      const claim = await claimOne();
      const woken = one.due.wait(20_000, new AbortController().signal);
      const poll = applyPoll(claim, says('EXECUTING'), stage.now(), POLLING);
      await one.schedule.record([{ ...poll, next: { inMs: 5, urgency: URGENCY.inFlight } }]);
      expect(await woken).toBe(true);
    });
  });

  describe('a completed payment', () => {
    const MINUTES = [1, 10, 60, 360, 1_440];
    /** No replica polls the payment in the minutes after its completion, less ten seconds; then this one does. */
    async function polledAfter(minutes: number, since: number, replica: PollingReplica): Promise<Claim> {
      await stage.pass((minutes - since) * MINUTE_MS - 10_000);
      expect(await claimed()).toEqual([]);
      await stage.pass(10_000);
      return claimOne(replica);
    }

    it('is polled five times within a day by any replica, as the last one, and then closed', async () => {
      const quoteId = await due(URGENCY.inFlight, 0);
      await record(await claimOne(), says('COMPLETED'));
      const completed = await one.payments.find(quoteId);
      for (const [index, minutes] of MINUTES.entries()) {
        const claim = await polledAfter(minutes, MINUTES[index - 1] ?? 0, two);
        expect(claim).toMatchObject({ quoteId, urgency: URGENCY.watching });
        expect(await one.payments.find(quoteId)).toMatchObject({ tracking: 'watching' });
        await record(claim, says('COMPLETED'));
      }
      expect(await stage.row(quoteId)).toBeNull();
      const { updatedAt, sequence } = completed ?? {};
      const closed = { tracking: 'closed', nextPollAt: null, updatedAt, sequence };
      expect(await one.payments.find(quoteId)).toMatchObject(closed);
    });

    it('tells of a refund, though the report still says COMPLETED, and is polled on', async () => {
      const quoteId = await due(URGENCY.inFlight, 0);
      await record(await claimOne(), says('COMPLETED'));
      const refunded = says('COMPLETED', { execution: { refund: { amount: '5' } } });
      await record(await polledAfter(1, 0, one), refunded);
      await record(await polledAfter(10, 1, one), refunded);
      expect(await typesOf(quoteId)).toEqual(['created', 'completed', 'anomaly']);
    });

    it('is polled again soon where a poll fails, or its replica has ended', async () => {
      const quoteId = await due(URGENCY.inFlight, 0);
      await record(await claimOne(), says('COMPLETED'));
      await record(await polledAfter(1, 0, one), DOWN);
      await stage.pass(INTERVAL_MS);
      expect(await claimed(two)).toEqual([quoteId]);
      await stage.pass(LEASE_MS);
      expect(await claimed(one)).toEqual([quoteId]);
    });

    it('is polled once within a day, however short the budget is', async () => {
      await rateLimit.setScale([1, 1, 1, 10_000]);
      const quoteId = await due(URGENCY.inFlight, 0);
      await record(await claimOne(), says('COMPLETED'));
      await record(await polledAfter(1_440, 0, one), says('COMPLETED'));
      expect(await stage.row(quoteId)).toBeNull();
    });
  });

  describe('the interval after a slow answer', () => {
    async function recorded(askedAgoMs: number): Promise<ScheduleRow> {
      const quoteId = await due(URGENCY.inFlight, 0);
      const poll = applyPoll(await claimOne(), says('EXECUTING'), stage.now(), POLLING);
      await one.schedule.record([{ ...poll, askedAgoMs }]);
      return row(quoteId);
    }

    it.each([
      ['counts from the request', 1, 3_000, URGENCY_RULES.inFlightMs - 3_000],
      ['is over where the answer took longer: the payment is due at once, and not before', 1, 60_000, 0],
      ['is scaled as any other', 3, 3_000, 3 * URGENCY_RULES.inFlightMs - 3_000],
    ])('%s', async (_what, factor, askedAgoMs, expectedMs) => {
      await rateLimit.setScale([factor, 1, 1, 1]);
      const { dueInMs, intervalMs } = await recorded(askedAgoMs);
      expect(intervalMs).toBe(URGENCY_RULES.inFlightMs);
      expect(dueInMs).toBeLessThanOrEqual(expectedMs);
      expect(dueInMs).toBeGreaterThan(expectedMs - 1_000);
    });
  });

  describe('the gap between two polls', () => {
    it.each([-3_600_000, -1, 0, 1, 5_000])(
      'is kept whatever a wrong clock makes of the interval: %d ms',
      async (inMs) => {
        const quoteId = await resting();
        const claim = await claimNow(quoteId);
        const poll = applyPoll(claim, says('EXPIRED'), stage.now(), POLLING);
        await one.schedule.record([{ ...poll, next: { ...poll.next, inMs } }]);
        const { dueInMs, intervalMs } = await row(quoteId);
        expect(intervalMs).toBe(URGENCY_RULES.gapMs);
        expect(dueInMs).toBeGreaterThan(URGENCY_RULES.gapMs - 500);
      },
    );

    it('is kept after an adoption, too, that has just asked about a payment that is about to expire', async () => {
      const { report } = says('AWAITING_DEPOSIT');
      const expiresAt = new Date(stage.now().getTime() + 1_000);
      const { dueInMs } = await row(await added({ quoteText: null, report, expiresAt }));
      expect(dueInMs).toBeGreaterThan(URGENCY_RULES.gapMs - 500);
    });
  });

  describe('a hint', () => {
    it('makes an unattended payment attended, and brings a scaled poll forward', async () => {
      await rateLimit.setScale([1, 1, 8, 8]);
      const quoteId = await due(URGENCY.unattended, 0);
      await claimOne();
      expect((await row(quoteId)).dueInMs).toBeGreaterThan(50_000);
      await one.schedule.hint([quoteId], LEASE_MS);
      const { urgency, gapMs } = await row(quoteId);
      expect(urgency).toBe(URGENCY.attended);
      expect(gapMs).toBeCloseTo(INTERVAL_MS, -1);
    });

    it('within 15 seconds of another changes nothing', async () => {
      const quoteId = await due(URGENCY.unattended, 0);
      await one.schedule.hint([quoteId], LEASE_MS);
      const { hintedAt } = await claimOne();
      await two.schedule.hint([quoteId], LEASE_MS);
      expect((await claimNow(quoteId)).hintedAt).toEqual(hintedAt);
      await stage.pass(15_000);
      await two.schedule.hint([quoteId], LEASE_MS);
      expect((await claimNow(quoteId)).hintedAt?.getTime()).toBeGreaterThan(hintedAt?.getTime() ?? Infinity);
    });

    it('leaves payments in flight, watched and unknown ones as they are', async () => {
      const ids = [await due(URGENCY.inFlight, 0), await due(URGENCY.watching, 0)];
      await one.schedule.hint([...ids, randomUUID()], LEASE_MS);
      const after = await Promise.all(ids.map(row));
      expect(after.map(({ urgency }) => urgency)).toEqual([URGENCY.inFlight, URGENCY.watching]);
      expect(after.every(({ dueInMs }) => dueInMs <= 0)).toBe(true);
    });
  });

  describe('payments that the provider cannot be asked about', () => {
    it('are reported as silent once each, and stay due', async () => {
      const quoteId = await due(URGENCY.unattended, 16 * MINUTE_MS);
      await due(URGENCY.unattended, MINUTE_MS);
      const claims = await one.schedule.claimUnanswered(10, 15 * MINUTE_MS, 20 * MINUTE_MS);
      expect(idsOf(claims)).toEqual([quoteId]);
      const polls = claims.map((claim) => applyUnaskedPoll(claim, stage.now(), POLLING));
      await one.schedule.record(polls);
      expect(await typesOf(quoteId)).toEqual(['created', 'stalled']);
      await stage.set(quoteId, { dueInMs: -3_600_000 });
      expect(await one.schedule.claimUnanswered(10, 15 * MINUTE_MS, 20 * MINUTE_MS)).toEqual([]);
      expect((await row(quoteId)).failures).toBe(0);
    });

    it('are no longer of interest once they have completed', async () => {
      const quoteId = await due(URGENCY.inFlight, 0);
      await record(await claimOne(), says('COMPLETED'));
      await stage.set(quoteId, { dueInMs: -20 * MINUTE_MS, silentForMs: 20 * MINUTE_MS });
      expect(await one.schedule.claimUnanswered(10, 15 * MINUTE_MS, 20 * MINUTE_MS)).toEqual([]);
    });

    it('are not silent before the provider could not be asked for as long', async () => {
      const quoteId = await due(URGENCY.unattended, 20 * MINUTE_MS);
      expect(await one.schedule.claimUnanswered(10, 15 * MINUTE_MS, 1_000)).toEqual([]);
      await stage.set(quoteId, { silentForMs: 16 * MINUTE_MS });
      expect(idsOf(await one.schedule.claimUnanswered(10, 15 * MINUTE_MS, 1_000))).toEqual([quoteId]);
    });
  });

  describe('the figures', () => {
    it('count open payments by status and class, and say how long the first has been due', async () => {
      await due(URGENCY.unattended, 3_000);
      await due(URGENCY.unattended, 1_000);
      await due(URGENCY.inFlight, -5_000);
      const { open: counted, lagMs } = await one.schedule.figures();
      expect(counted).toContainEqual({ status: 'AWAITING_DEPOSIT', urgency: 2, payments: 2 });
      expect(counted).toContainEqual({ status: 'AWAITING_DEPOSIT', urgency: 0, payments: 1 });
      expect(lagMs).toBeGreaterThanOrEqual(3_000);
      expect(lagMs).toBeLessThan(60_000);
    });

    it('count payments that have ended and are still polled, without completed ones', async () => {
      for (const status of ['EXPIRED', 'EXPIRED', 'FAILED', 'EXECUTING', 'COMPLETED'])
        await record(await claimNow(await added()), says(status));
      const { open: counted } = await one.schedule.figures();
      expect(counted.toSorted((a, b) => a.status.localeCompare(b.status))).toEqual([
        { status: 'EXECUTING', urgency: 0, payments: 1 },
        { status: 'EXPIRED', urgency: 3, payments: 2 },
        { status: 'FAILED', urgency: 3, payments: 1 },
      ]);
    });

    it('say what polls are wanted, by class, and how many are overdue', async () => {
      for (let index = 0; index < 7; index += 1) await due(URGENCY.unattended, index < 3 ? 1_000 : -5_000);
      const [demand] = await rateLimit.demand();
      expect(demand).toMatchObject({ urgency: 2, payments: 7, overdue: 3 });
      expect(demand?.perSecond).toBeCloseTo(1, 5);
    });

    it('say when the next payment is due', async () => {
      expect(await one.schedule.nextDueInMs()).toBeNull();
      await due(URGENCY.unattended, -5_000);
      await due(URGENCY.watching, -3_000);
      const nextInMs = (await one.schedule.nextDueInMs()) ?? 0;
      expect(nextInMs).toBeGreaterThan(1_000);
      expect(nextInMs).toBeLessThanOrEqual(3_000);
    });
  });

  describe('a scale', () => {
    it('that shrinks brings forward what was put off', async () => {
      await rateLimit.setScale([100, 1, 1, 1]);
      const quoteId = await due(URGENCY.inFlight, 0);
      await claimOne();
      expect((await row(quoteId)).dueInMs).toBeGreaterThan(400_000);
      await rateLimit.setScale(NO_SCALE);
      expect((await row(quoteId)).dueInMs).toBeLessThan(8_000);
    });

    it('that grows and shrinks again and again brings no poll forward of its interval at the smallest', async () => {
      await rateLimit.setScale([1, 1, 100, 1]);
      const quoteId = await due(URGENCY.unattended, 0);
      await claimOne();
      for (let turn = 0; turn < 3; turn += 1) {
        await rateLimit.setScale([1, 1, 200, 1]);
        await rateLimit.setScale([1, 1, 100, 1]);
      }
      expect((await row(quoteId)).gapMs).toBeGreaterThan(99 * INTERVAL_MS);
    });

    it('that hardly shrinks leaves polls where they are', async () => {
      await rateLimit.setScale([100, 1, 1, 1]);
      const quoteId = await due(URGENCY.inFlight, 0);
      await claimOne();
      const { gapMs } = await row(quoteId);
      await rateLimit.setScale([90, 1, 1, 1]);
      expect((await row(quoteId)).gapMs).toBe(gapMs);
    });
  });

  describe('a provider that works again', () => {
    it('lets no payment wait longer for the failures of before', async () => {
      const quoteId = await due(URGENCY.unattended, 0);
      const claim = { ...(await claimOne()), failures: 4 };
      await record(claim, DOWN);
      expect((await row(quoteId)).dueInMs).toBeGreaterThan(50_000);
      const overdue = await due(URGENCY.unattended, MINUTE_MS);
      await rateLimit.openCircuit('open', false);
      expect(await rateLimit.closeCircuit()).toMatchObject({ payments: 1 });
      expect((await row(overdue)).dueInMs).toBeGreaterThan(-1_000);
      expect(await rateLimit.closeCircuit()).toEqual({ payments: 0, withinMs: 0 });
      const healed = await row(quoteId);
      expect(healed.failures).toBe(0);
      expect(healed.dueInMs).toBeLessThanOrEqual(INTERVAL_MS);
    });
  });

  describe('an outage', () => {
    const OUTAGE_MS = 40_000;

    it('spreads overdue payments over their intervals, and leaves the others', async () => {
      const overdue: string[] = [];
      for (let n = 0; n < 12; n += 1)
        overdue.push(await due(n % 2 === 0 ? URGENCY.unattended : URGENCY.inFlight, OUTAGE_MS - n * 1_000));
      const [late, ending, later] = [
        await due(URGENCY.watching, 100),
        await due(URGENCY.attended, 5_000),
        await due(URGENCY.attended, -5_000),
      ];
      await stage.set(late, { intervalMs: 60 * MINUTE_MS });
      await stage.set(ending, { intervalMs: 60 * MINUTE_MS, pollByInMs: 3_000 });
      const { payments, withinMs } = await one.schedule.spreadOverdue();
      expect(payments).toBe(overdue.length + 2);
      const waits: number[] = [];
      for (const quoteId of overdue) waits.push((await row(quoteId)).dueInMs);
      expect(Math.max(...waits)).toBeLessThanOrEqual(INTERVAL_MS);
      expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(INTERVAL_MS / 4);
      expect(withinMs).toBeLessThanOrEqual(2 * OUTAGE_MS + 1_000);
      expect((await row(late)).dueInMs).toBeLessThanOrEqual(2 * OUTAGE_MS + 1_000);
      expect((await row(ending)).dueInMs).toBeLessThanOrEqual(3_000);
      expect((await row(later)).dueInMs).toBeGreaterThan(3_000);
    });

    it('that left nothing overdue spreads nothing', async () => {
      await due(URGENCY.attended, -5_000);
      expect(await one.schedule.spreadOverdue()).toEqual({ payments: 0, withinMs: 0 });
    });
  });

  // The fake of the unit tests knows no notices.
  if (name === 'in memory') return;

  describe('a notice', () => {
    it('makes a payment due at once, in every class, and only the payments it names', async () => {
      const named: string[] = [];
      for (const urgency of Object.values(URGENCY)) named.push(await resting(urgency));
      await resting();
      expect(await claimed()).toEqual([]);
      await two.schedule.makeDue(named, POLL_MS);
      expect((await claimed()).toSorted()).toEqual(named.toSorted());
      expect(await claimed()).toEqual([]);
    });

    it('leads to a poll of an ended payment that is still watched', async () => {
      const quoteId = await resting();
      await stage.set(quoteId, { dueInMs: 0 });
      await record(await claimOne(), says('EXPIRED'));
      expect((await one.payments.find(quoteId))?.tracking).toBe('watching');
      await stage.pass(2_000);
      await one.schedule.makeDue([quoteId], POLL_MS);
      expect(await claimed()).toEqual([quoteId]);
    });

    it.each(['EXPIRED', 'FAILED'] as const)(
      'leads to one more poll of a payment that is %s and no longer watched, which finds a late delivery',
      async (status) => {
        const quoteId = await closed(status);
        await one.schedule.makeDue([quoteId], POLL_MS);
        await two.schedule.makeDue([quoteId], POLL_MS);
        const claim = await claimOne();
        expect([claim.quoteId, await claimed()]).toEqual([quoteId, []]);
        await record(claim, says('COMPLETED'));
        const completed = { status: 'COMPLETED', late: true, tracking: 'watching' };
        expect(await one.payments.find(quoteId)).toMatchObject(completed);
      },
    );

    it('about a payment that is no longer watched costs one poll where nothing is new', async () => {
      const quoteId = await closed('EXPIRED');
      await one.schedule.makeDue([quoteId], POLL_MS);
      await record(await claimOne(), says('EXPIRED'));
      expect((await one.payments.find(quoteId))?.tracking).toBe('closed');
      expect(await stage.row(quoteId)).toBeNull();
    });

    it('about a payment that is no longer watched is not forgotten where the provider does not answer', async () => {
      const quoteId = await closed('EXPIRED');
      await one.schedule.makeDue([quoteId], POLL_MS);
      await record(await claimOne(), DOWN);
      await stage.pass(60_000);
      expect(await claimed()).toEqual([quoteId]);
    });

    it('while the last poll is under way is followed by another', async () => {
      const quoteId = await closed('EXPIRED');
      await one.schedule.makeDue([quoteId], POLL_MS);
      const claim = await claimOne();
      await two.schedule.makeDue([quoteId], POLL_MS);
      await record(claim, says('EXPIRED'));
      await stage.pass(2_000);
      expect(await claimed()).toEqual([quoteId]);
    });

    it('leaves completed and unknown payments alone', async () => {
      const quoteId = await resting();
      await stage.set(quoteId, { dueInMs: 0 });
      await record(await claimOne(), says('COMPLETED'));
      await one.schedule.makeDue([quoteId, randomUUID(), 'no id at all'], POLL_MS);
      await one.schedule.makeDue([], POLL_MS);
      expect(await claimed()).toEqual([]);
    });

    it('wakes the tracker of the same process, which claims the payment at once', async () => {
      const quoteId = await resting();
      const woken = one.due.wait(20_000, new AbortController().signal);
      await one.schedule.makeDue([quoteId], POLL_MS);
      expect(await woken).toBe(true);
      expect(await claimed()).toEqual([quoteId]);
    });

    it('brings a payment that is due before that no later', async () => {
      const quoteId = await resting(URGENCY.inFlight);
      await stage.set(quoteId, { dueInMs: -3_000, polledAgoMs: 0 });
      await one.schedule.makeDue([quoteId], POLL_MS);
      expect(await claimed()).toEqual([quoteId]);
    });
  });

  describe('a notice while a poll is under way', () => {
    it('lets the poll end, and is followed by another once its news are recorded', async () => {
      const quoteId = await resting();
      await stage.set(quoteId, { dueInMs: 0 });
      const claim = await claimOne();
      await two.schedule.makeDue([quoteId], POLL_MS);
      expect(await claimed(two)).toEqual([]);
      expect(await record(claim, says('DEPOSIT_RECEIVED'))).toMatchObject({ stale: 0, outdated: [] });
      expect((await one.payments.find(quoteId))?.status).toBe('DEPOSIT_RECEIVED');
      await stage.pass(1_000);
      expect(await claimed(two)).toEqual([quoteId]);
    });

    it('is followed by another poll also when the first finds nothing to record', async () => {
      const quoteId = await resting();
      await stage.set(quoteId, { dueInMs: 0 });
      await claimOne();
      await two.schedule.makeDue([quoteId], POLL_MS);
      expect(await claimed(two)).toEqual([]);
      await stage.pass(POLL_MS);
      expect(await claimed(two)).toEqual([quoteId]);
    });

    it('is not outdone by the urgency that the first one finds', async () => {
      const quoteId = await resting();
      await stage.set(quoteId, { dueInMs: 0 });
      const { next, ...poll } = applyPoll(await claimOne(), says('AWAITING_DEPOSIT'), stage.now(), POLLING);
      await stage.pass(10);
      await two.schedule.makeDue([quoteId], POLL_MS);
      await one.schedule.extendUnchanged([{ ...poll, next: { ...next, urgency: URGENCY.watching } }]);
      expect((await stage.row(quoteId))?.urgency).toBe(URGENCY.inFlight);
    });

    it('is followed by another poll when the first takes long and its lease is extended', async () => {
      const quoteId = await resting();
      await stage.set(quoteId, { dueInMs: 0 });
      const claim = await claimOne();
      await two.schedule.makeDue([quoteId], POLL_MS);
      await one.schedule.extendLeases([claim], 60_000);
      await stage.pass(POLL_MS);
      expect(await claimed(two)).toEqual([]);
      await record(claim, says('AWAITING_DEPOSIT'));
      expect(await claimed(two)).toEqual([quoteId]);
    });

    it('of before the claim does not bring the poll after it forward', async () => {
      const quoteId = await resting();
      await one.schedule.makeDue([quoteId], POLL_MS);
      await record(await claimOne(), says('DEPOSIT_RECEIVED'));
      await stage.pass(2_000);
      expect(await claimed()).toEqual([]);
    });

    it('does not bring a second poll within a second of an answered one', async () => {
      const quoteId = await resting();
      await stage.set(quoteId, { dueInMs: 0 });
      await record(await claimOne(), says('DEPOSIT_RECEIVED'));
      await one.schedule.makeDue([quoteId], POLL_MS);
      expect(await claimed()).toEqual([]);
      await stage.pass(1_000);
      expect(await claimed()).toEqual([quoteId]);
    });

    it('of many at once in two replicas neither waits for ever nor loses a poll', async () => {
      const ids: string[] = [];
      for (let made = 0; made < 30; made += 1) ids.push(await resting());
      const rounds = Array.from({ length: 20 }, (_, index) => (index % 2 ? one : two));
      await Promise.all(
        rounds.map(async (replica, index) => {
          await replica.schedule.makeDue(index % 3 ? ids : ids.toReversed(), POLL_MS);
          const claims = await replica.schedule.read(await replica.schedule.claimDue(7, LEASE_MS));
          await replica.schedule.record(
            claims.map((claim) => applyPoll(claim, says('AWAITING_DEPOSIT'), stage.now(), POLLING)),
          );
        }),
      );
      await stage.pass(POLL_MS);
      await one.schedule.makeDue(ids, POLL_MS);
      expect(idsOf(await one.schedule.claimDue(100, LEASE_MS)).toSorted()).toEqual(ids.toSorted());
    });
  });
});
