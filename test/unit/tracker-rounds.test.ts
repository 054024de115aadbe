import { expect, it } from '@jest/globals';

import { ClaimPace } from '../../src/features/polling/tracker.ts';
import { WakeSignal } from '../../src/platform/scheduling/wake-signal.ts';
import { sleep } from '../../src/platform/scheduling/system-timers.ts';
import type { KnownReports, StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { ClaimSpare, DueClaim } from '../../src/ports/schedule.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { trackerOn } from '../../tools/simulation/tracker-on.ts';
import { VirtualClock } from '../../tools/simulation/virtual-clock.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FakeProviderRateLimit } from '../support/fakes/provider-rate-limit.fake.ts';
import { FakeSchedule } from '../support/fakes/schedule.fake.ts';
import { paymentToAdd } from '../support/payment-to-add.ts';
import { POLLING, says } from '../support/poll-results.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';

const INTERVAL_MS = URGENCY_RULES.pollIntervalMs;
const MINUTE_MS = 60_000;
/** The time between the claims of one tracker that always finds a few payments. */
const COLLECT_MS = 60;

const AWAITING = says('AWAITING_DEPOSIT');
const IN_FLIGHT = says('EXECUTING');

class AnsweringProvider extends FakeProvider {
  /** The time of each request for a payment. */
  readonly askedAtMs: number[] = [];

  constructor(
    private readonly time: Timers,
    /** The answers one after another; the last one repeats. */
    private readonly given: readonly StatusAnswer[],
  ) {
    super();
  }

  override async readStatuses(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => unknown,
  ): Promise<void> {
    for (const quoteId of quoteIds) {
      const answer = this.given[Math.min(this.askedAtMs.length, this.given.length - 1)] as StatusAnswer;
      this.askedAtMs.push(this.time.nowMs());
      onAnswer(quoteId, answer);
    }
  }
}

/** Every second request waits for a connection before it is sent. */
class ConnectingProvider extends AnsweringProvider {
  constructor(
    private readonly timers: Timers,
    given: readonly StatusAnswer[],
    private readonly connectMs: number,
  ) {
    super(timers, given);
  }

  override async readStatuses(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => unknown,
    known?: KnownReports,
  ): Promise<void> {
    if (this.askedAtMs.length % 2 === 1) await sleep(this.timers, this.connectMs);
    known?.onSent?.();
    await super.readStatuses(quoteIds, onAnswer);
  }
}

/** A provider that takes two requests at once, and answers when the test says so. */
class WaitingProvider extends FakeProvider {
  override limits = { maxConcurrency: 2, batchSize: 1, timeoutMs: 200, maxRpm: 0 };
  /** The pending answers of requests, in order. */
  readonly answers: (() => void)[] = [];

  override readStatuses(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => unknown,
  ): Promise<void> {
    this.statusReads.push(...quoteIds);
    return new Promise((resolve) => {
      this.answers.push(() => {
        for (const quoteId of quoteIds) onAnswer(quoteId, AWAITING);
        resolve();
      });
    });
  }
}

/** Counts the requests that start within one turn of the event loop. */
class CrowdedProvider extends WaitingProvider {
  override limits = { maxConcurrency: 100, batchSize: 1, timeoutMs: 200, maxRpm: 0 };
  mostInATurn = 0;
  private inTurn = 0;

  override readStatuses(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => unknown,
  ): Promise<void> {
    if (this.inTurn === 0) queueMicrotask(() => (this.inTurn = 0));
    this.inTurn += 1;
    this.mostInATurn = Math.max(this.mostInATurn, this.inTurn);
    return super.readStatuses(quoteIds, onAnswer);
  }
}

/** Counts the tracker's calls to the database. */
class CountedSchedule extends FakeSchedule {
  claims = 0;
  claimed = 0;
  lookups = 0;
  latestMs = 0;

  override async claimDue(limit: number, leaseMs: number, spare?: ClaimSpare): Promise<DueClaim[]> {
    this.latestMs = Math.max(this.latestMs, -((await super.nextDueInMs()) ?? 0));
    this.claims += 1;
    const claims = await super.claimDue(limit, leaseMs, spare);
    this.claimed += claims.length;
    return claims;
  }

  override nextDueInMs(): Promise<number | null> {
    this.lookups += 1;
    return super.nextDueInMs();
  }
}

/** A database that answers late. */
class DistantSchedule extends FakeSchedule {
  roundTripMs = 0;

  constructor(
    private readonly time: VirtualClock,
    payments: FakePayments,
    due: WakeSignal,
  ) {
    super(payments, time.clock, due);
  }

  override async claimDue(limit: number, leaseMs: number, spare?: ClaimSpare): Promise<DueClaim[]> {
    const claims = await super.claimDue(limit, leaseMs, spare);
    await sleep(this.time, this.roundTripMs);
    return claims;
  }
}

/** The times between the polls of a payment with these reports; by default only of money in flight. */
async function gapsOver(roundTripMs: number, connectMs = 0, given = [IN_FLIGHT]): Promise<number[]> {
  const time = new VirtualClock();
  const { clock } = time;
  const payments = new FakePayments(clock);
  const due = new WakeSignal(time);
  const schedule = new DistantSchedule(time, payments, due);
  schedule.roundTripMs = roundTripMs;
  await payments.add(paymentToAdd('q0', { quoteText: null, report: given[0]?.report ?? null }));
  const provider = new ConnectingProvider(time, given, connectMs);
  const rateLimit = new FakeProviderRateLimit(schedule, provider, clock);
  trackerOn(time, { schedule, provider, rateLimit, settings: POLLING, due }).start();
  await time.runSettled(2 * MINUTE_MS, () => false);
  return provider.askedAtMs.slice(1).map((askedAt, index) => askedAt - (provider.askedAtMs[index] ?? 0));
}

/** The cost of this many open payments in a minute, after one minute to settle. */
async function minuteOf(open: number): Promise<CountedSchedule> {
  const time = new VirtualClock();
  const { clock } = time;
  const payments = new FakePayments(clock);
  // Spreads the payments over the interval, the same in each run.
  let drawn = 0;
  const random = (): number => (drawn = (drawn + 0.618_034) % 1);
  const due = new WakeSignal(time);
  const schedule = new CountedSchedule(payments, clock, due, random);
  for (let n = 0; n < open; n += 1) {
    const quoteId = `q${n}`;
    await payments.add(paymentToAdd(quoteId, { quoteText: null, report: AWAITING.report }));
    schedule.change(quoteId, { dueAt: (n * INTERVAL_MS) / open });
  }
  const provider = new AnsweringProvider(time, [AWAITING]);
  const rateLimit = new FakeProviderRateLimit(schedule, provider, clock);
  trackerOn(time, { schedule, provider, rateLimit, settings: POLLING, due }).start();
  await time.runSettled(MINUTE_MS, () => false);
  Object.assign(schedule, { claims: 0, claimed: 0, lookups: 0, latestMs: 0 });
  await time.runSettled(2 * MINUTE_MS, () => false);
  return schedule;
}

/** A tracker with this many payments due at once. */
async function startTracker(time: VirtualClock, provider: FakeProvider, open: number): Promise<void> {
  const { clock } = time;
  const payments = new FakePayments(clock);
  const due = new WakeSignal(time);
  const schedule = new FakeSchedule(payments, clock, due);
  for (let n = 0; n < open; n += 1) {
    await payments.add(paymentToAdd(`q${n}`, { quoteText: null, report: AWAITING.report }));
    schedule.change(`q${n}`, { dueAt: 0 });
  }
  const rateLimit = new FakeProviderRateLimit(schedule, provider, clock);
  trackerOn(time, { schedule, provider, rateLimit, settings: POLLING, due }).start();
}

it('collects due payments for a moment, and never for longer', async () => {
  const { claims, claimed, lookups, latestMs } = await minuteOf(1_000);
  expect(claimed).toBeGreaterThan((0.95 * 1_000 * MINUTE_MS) / INTERVAL_MS);
  expect(claims).toBeLessThanOrEqual(MINUTE_MS / COLLECT_MS + 1);
  // The look-ups of each second's maintenance.
  expect(lookups).toBeLessThanOrEqual(61);
  expect(latestMs).toBeLessThanOrEqual(COLLECT_MS);
});

it('asks once when the next payment is due, and not for payments before', async () => {
  const { claims, claimed, lookups } = await minuteOf(7);
  expect(claimed).toBeGreaterThan(55);
  expect(claims).toBeLessThanOrEqual(claimed + 60);
  expect(lookups).toBeLessThanOrEqual(claims + 61);
});

it('collects until a claim is worthwhile: each of four replicas claims a fourth as often as one alone', () => {
  const paceAt = (perSecond: number): number => {
    const pace = new ClaimPace(10);
    const periodMs = 20;
    pace.noteClaim(0);
    pace.noteClaim(periodMs);
    return pace.collectMs((perSecond * periodMs) / 1_000);
  };
  expect(paceAt(14_000)).toBeCloseTo(14.29);
  expect(paceAt(14_000 / 4)).toBeCloseTo(57.14);
  expect([100_000, 100, 0].map(paceAt)).toEqual([10, COLLECT_MS, COLLECT_MS]);
});

it('sends the next request as soon as one is answered, before its connection is idle, and never more than the limit', async () => {
  const time = new VirtualClock();
  const provider = new WaitingProvider();
  await startTracker(time, provider, 5);
  await time.runSettled(20, () => false);
  // Once the tracker knows how long a request takes, it claims ahead.
  for (const answer of provider.answers.splice(0)) answer();
  await time.runSettled(40, () => false);
  const asked = [provider.statusReads.length];
  for (const answer of provider.answers) {
    answer();
    asked.push(provider.statusReads.length);
  }
  expect(asked).toEqual([4, 5, 5, 5]);
});

it('starts the requests of a large claim in several turns of the event loop, and all of them', async () => {
  const time = new VirtualClock();
  const provider = new CrowdedProvider();
  await startTracker(time, provider, 100);
  await time.runSettled(40, () => false);
  expect(provider.statusReads).toHaveLength(100);
  expect(provider.mostInATurn).toBe(32);
});

it.each([
  [0, 0],
  [40, 0],
  [100, 0],
  [400, 0],
  [0, 20],
  [0, 100],
  [0, 600],
])(
  'polls money in flight with a database that is %i ms away, and counts the gap from when a request leaves after %i ms',
  async (roundTripMs, connectMs) => {
    const gaps = await gapsOver(roundTripMs, connectMs);
    expect(gaps.length).toBeGreaterThan(15);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(POLLING.minGapMs);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(INTERVAL_MS);
  },
);

it.each([100, 600, 900])(
  'counts the gap so too where a claim may wait for %i ms, and its answer makes the interval shorter',
  async (connectMs) => {
    const gaps = await gapsOver(0, connectMs, [AWAITING, IN_FLIGHT]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(POLLING.minGapMs);
  },
);
