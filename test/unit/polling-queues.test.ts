import { describe, expect, it, beforeEach, afterEach, jest } from '@jest/globals';
import type { Claim } from '../../src/ports/schedule.ts';
import { ClaimQueue } from '../../src/features/polling/claim-queue.ts';
import { AnswerTimes } from '../../src/features/polling/provider-troubles.ts';
import { providerItems } from '../../src/features/attention/provider-items.ts';
import { NO_SCALE } from '../../src/domain/polling/interval-scale.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import type { SeenReplica } from '../../src/ports/replicas.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import type { Database } from '../../src/database/connection/database.ts';
import { LowWatermarks } from '../../src/database/polling/low-watermarks.ts';
import { Logger } from '@nestjs/common';
import { InspectionsUnderWay } from '../../src/features/proof/inspections-under-way.ts';
import { Timers } from '../../src/ports/timers.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { ScheduledPollRequests } from '../../src/features/polling/scheduled-poll-requests.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FakeProviderRateLimit } from '../support/fakes/provider-rate-limit.fake.ts';
import { FakeSchedule } from '../support/fakes/schedule.fake.ts';
import { pollRequestsOn } from '../support/poll-requests.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

const LIMITS = { maxConcurrency: 8, batchSize: 1, timeoutMs: 5_000, maxRpm: 0 };

function claims(count: number, urgency = 2): Claim[] {
  return Array.from(
    { length: count },
    (_, index) => ({ paymentId: String(index), urgency, nextInMs: 7_000 }) as unknown as Claim,
  );
}

describe('the queue of claims', () => {
  it('asks at first, and of a slow provider always, for what free readers can start at once', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    expect([queue.room(0), queue.room(5), queue.room(8)]).toEqual([8, 3, 0]);
    queue.noteRequest(2_000);
    expect(queue.room(6)).toBe(2);
  });

  it('asks a fast provider ahead, and not for a few at a time', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    queue.noteRequest(2);
    expect(queue.room(8)).toBe(96);
    queue.addClaims(claims(40), 0);
    expect(queue.room(8)).toBe(56);
    queue.addClaims(claims(10), 0);
    expect(queue.room(8)).toBe(0);
  });

  it('asks for fewer while changes wait for their commit, and for none beside many', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    expect([queue.room(0, 3), queue.room(0, 4)]).toEqual([2, 0]);
    queue.noteRequest(2);
    expect([queue.room(8, 0), queue.room(8, 20), queue.room(8, 30)]).toEqual([96, 56, 0]);
  });

  it('asks no further ahead than money in flight can wait for its request', () => {
    const FREE_IN_MS = 50;
    for (const requestMs of [2, 5, 10]) {
      const queue = new ClaimQueue(LIMITS, (nextInMs) => Math.min(nextInMs - 5_000, 1_000), 7_000);
      queue.noteRequest(requestMs);
      const inFlight = claims(queue.room(8), 0).map((claim) => ({ ...claim, nextInMs: 5_000 + FREE_IN_MS }));
      queue.addClaims(inFlight, 0);
      let polled = 0;
      for (let nowMs = requestMs; queue.size > 0; nowMs += requestMs)
        for (let reader = 0; reader < 8; reader += 1) polled += queue.next(nowMs).claims.length;
      expect([requestMs, polled]).toEqual([requestMs, inFlight.length]);
    }
  });

  it('asks a fast provider that reads large batches for as much as the queue holds', () => {
    const queue = new ClaimQueue({ ...LIMITS, maxConcurrency: 64, batchSize: 200 }, () => 1_000, 7_000);
    queue.noteRequest(2);
    expect(queue.room(0)).toBe(1_000);
    expect(queue.room(64)).toBe(1_000);
    queue.addClaims(claims(600), 0);
    expect(queue.room(0)).toBe(0);
  });

  it('follows the provider as it slows down', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    queue.noteRequest(5);
    for (let request = 0; request < 30; request += 1) queue.noteRequest(3_000);
    expect(queue.room(8)).toBe(0);
  });

  it('leaves a claim that waited too long', () => {
    const queue = new ClaimQueue({ ...LIMITS, batchSize: 3 }, () => 1_000, 7_000);
    queue.addClaims(claims(2), 0);
    queue.addClaims(claims(2), 500);
    expect(queue.next(1_200).claims).toHaveLength(2);
    expect([queue.next(1_200).claims, queue.size]).toEqual([[], 0]);
  });

  it('lets money in flight go first', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    queue.addClaims(claims(2), 0);
    queue.addClaims(claims(1, 0), 0);
    expect(queue.next(0).claims).toMatchObject([{ urgency: 0 }]);
    expect(queue.size).toBe(2);
  });

  it('leaves no more room for a wait than the time to the next poll has above the gap', () => {
    const queue = new ClaimQueue(LIMITS, (nextInMs) => nextInMs - 5_000, 7_000);
    queue.addClaims(claims(1), 0);
    expect(queue.next(200).claims).toHaveLength(1);
    const hurried = claims(1).map((claim) => ({ ...claim, nextInMs: 5_100 }));
    queue.addClaims(hurried, 0);
    expect(queue.next(200).claims).toEqual([]);
  });

  it('notes how long claims wait, money in flight apart from the others, and forgets it slowly', () => {
    const queue = new ClaimQueue(LIMITS, () => 50, 7_000);
    queue.addClaims([...claims(1, 0), ...claims(2)], 0);
    expect([queue.next(40), queue.next(200)].map(({ claims }) => claims.length)).toEqual([1, 0]);
    expect(queue.longestWaits(200).urgentMs).toBeCloseTo(39.3, 1);
    expect(queue.longestWaits(200).othersMs).toBe(200);
    queue.addClaims([], 1_200);
    queue.addClaims(claims(1, 0), 1_200);
    expect(queue.longestWaits(1_200).urgentMs).toBeCloseTo(35.4, 1);
    expect(queue.longestWaits(1_200).othersMs).toBeCloseTo(180);
  });

  it('forgets within half a minute that a claim had waited for too long', () => {
    const queue = new ClaimQueue(LIMITS, () => 50, 7_000);
    queue.addClaims(claims(1, 0), 0, 19_000);
    expect(queue.next(19_000).claims).toEqual([]);
    expect(queue.longestWaits(19_000)).toEqual({ urgentMs: 1_000, othersMs: 1_000 });
    expect(queue.longestWaits(49_000).urgentMs).toBeLessThan(50);
  });

  it('notes how long the statements of claims take, also of those that find nothing', () => {
    const queue = new ClaimQueue(LIMITS, () => 50, 7_000);
    queue.addClaims([], 0, 60);
    expect(queue.longestWaits(60)).toEqual({ urgentMs: 60, othersMs: 60 });
    queue.addClaims([], 1_055, 1_060);
    expect(queue.longestWaits(1_060).othersMs).toBeCloseTo(54);
  });
});

describe('answer times', () => {
  const LIMITS = { maxConcurrency: 64, batchSize: 1, timeoutMs: 5_000, maxRpm: 0 };

  let clock: FakeClock;
  let times: AnswerTimes;

  beforeEach(() => {
    clock = new FakeClock();
    times = new AnswerTimes({ limits: LIMITS } as PaymentProvider, clock.timers);
  });

  function note(durationMs: number, answers: number): void {
    for (let n = 0; n < answers; n += 1) times.noteAnswer(durationMs, clock.timers.nowMs());
  }

  describe('how long the provider takes', () => {
    it('is a trouble above half the time limit, after some answers', () => {
      note(4_900, 4);
      expect(times.slowMs).toBeNull();
      note(4_900, 1);
      expect(times.slowMs).toBe(4_900);
    });

    it('is none at half the time limit, and none for a slow answer among fast ones', () => {
      note(2_500, 50);
      expect(times.slowMs).toBeNull();
      note(100, 50);
      note(4_900, 3);
      expect(times.slowMs).toBeNull();
    });

    it('goes with fast answers, and when it was not asked of late', () => {
      note(4_900, 10);
      note(100, 30);
      expect(times.slowMs).toBeNull();
      note(4_900, 50);
      expect(times.slowMs).not.toBeNull();
      clock.advance(120_000);
      expect(times.slowMs).not.toBeNull();
      clock.advance(1);
      expect(times.slowMs).toBeNull();
      note(100, 1);
      expect(times.slowMs).toBeNull();
    });

    it('is an item for a person, by the slowest replica that runs', () => {
      const seen = (slowMs: number | null, isAlive = true): SeenReplica =>
        ({
          isAlive,
          providers: { http: { detail: null, isKeyRefused: false, slowMs, refusals: [] } },
        }) as unknown as SeenReplica;
      const state = { rateLimit: INITIAL_RATE_LIMIT, nowMs: 0, scale: NO_SCALE };
      const unknown = { since: null, capacity: null, waiting: null, short: null };
      const http = { name: 'http', limits: LIMITS, state, ...unknown };
      const items = providerItems([http], [seen(3_000), seen(4_912), seen(9_000, false), seen(null)]);
      expect(items).toEqual([
        expect.objectContaining({
          code: 'provider_slow',
          severity: 'warn',
          detail: 'The provider takes 4.9 s to answer: a request that takes 5.0 s is given up.',
        }),
      ]);
      expect(providerItems([http], [seen(null)])).toEqual([]);
    });
  });
});

describe('low watermarks', () => {
  const NOW_MS = 1_000_000;
  const FORGOTTEN_MS = NOW_MS - 5_000;

  /** Answers a read of the first due time, of the urgency in_flight. */
  type Answer = (dueMs: number) => void;

  let readings: { readonly fromMs: readonly number[]; readonly answer: Answer }[];
  let watermarks: LowWatermarks;

  beforeEach(async () => {
    readings = [];
    const query = (_sql: string, [fromMs]: readonly [readonly number[]]): Promise<unknown> =>
      new Promise((resolve) => {
        const answer: Answer = (dueMs) =>
          resolve([{ urgency: 'in_flight', due_ms: dueMs, in_ms: dueMs - NOW_MS }]);
        readings.push({ fromMs, answer });
      });
    const clock = { measured: () => undefined, earliestMs: () => NOW_MS };
    watermarks = new LowWatermarks({ query, clock } as unknown as Database, 'http');
    await read(NOW_MS);
  });

  /** Finds a payment that is due at `dueMs` first. */
  async function read(dueMs: number): Promise<void> {
    const reading = watermarks.nextDueInMs();
    readings.at(-1)?.answer(dueMs);
    await reading;
  }

  /** Moves on by a second, after which the next read covers the whole index. */
  function secondLater(): void {
    Object.assign(watermarks, { fullAt: 0 });
  }

  function findsForgotten(): boolean {
    return (watermarks.fromMs[0] ?? 0) <= FORGOTTEN_MS;
  }

  it('keeps what a full reading has found below a claim that began before it', async () => {
    const from = watermarks.fromMs;
    secondLater();
    await read(FORGOTTEN_MS);
    watermarks.noteDrained(0, from);
    expect(findsForgotten()).toBe(true);
    watermarks.noteDrained(0, watermarks.fromMs);
    expect(findsForgotten()).toBe(false);
  });

  it('keeps what a full reading has found below a partial one that began before it', async () => {
    const partial = watermarks.nextDueInMs();
    const [, beganBefore] = readings;
    secondLater();
    await read(FORGOTTEN_MS);
    beganBefore?.answer(NOW_MS);
    await partial;
    expect(findsForgotten()).toBe(true);
  });

  it('lets a full reading lower them, whatever has raised them meanwhile', async () => {
    secondLater();
    const full = watermarks.nextDueInMs();
    watermarks.noteDrained(0, watermarks.fromMs);
    readings.at(-1)?.answer(FORGOTTEN_MS);
    await full;
    expect(findsForgotten()).toBe(true);
  });
});

/** Timers that the test lets ring. */
class HeldTimers extends Timers {
  readonly waiting = new Map<() => void, number>();

  nowMs(): number {
    return 0;
  }

  after(ms: number, act: () => void): () => void {
    this.waiting.set(act, ms);
    return () => void this.waiting.delete(act);
  }
}

class LinesLogger extends Logger {
  readonly lines: unknown[] = [];
  override warn(line: unknown): void {
    this.lines.push(line);
  }
  override error(line: unknown): void {
    this.lines.push(line);
  }
}

/** An inspection that ends when the test says. */
function heldInspection(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let [resolve, reject]: [() => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<void>((...ends) => ([resolve, reject] = ends));
  return { promise, resolve, reject };
}

describe('inspections under way', () => {
  it('are waited for when the service stops', async () => {
    const timers = new HeldTimers();
    const inspections = new InspectionsUnderWay(2, () => undefined, new LinesLogger(), timers);
    const inspection = heldInspection();
    inspections.start('q-1', () => inspection.promise);
    const drained = inspections.drain();
    inspection.resolve();
    await drained;
    expect(timers.waiting.size).toBe(0);
  });

  it('hold no shutdown longer than its deadline, and say nothing of what they cannot store then', async () => {
    const timers = new HeldTimers();
    const log = new LinesLogger();
    const inspections = new InspectionsUnderWay(2, () => undefined, log, timers);
    const inspection = heldInspection();
    inspections.start('q-1', () => inspection.promise);
    const drained = inspections.drain();
    expect([...timers.waiting.values()]).toEqual([7_500]);
    for (const ring of timers.waiting.keys()) ring();
    await drained;
    inspection.reject(new Error('the database is closed'));
    await new Promise(setImmediate);
    expect(log.lines).toEqual([]);
  });
});

describe('a slow inspection', () => {
  it.each([
    ['goes on', false, 1],
    ['has ended', true, 0],
  ])('is told of once, unless it has ended: it %s', async (_what, isEnded, times) => {
    const timers = new HeldTimers();
    const inspections = new InspectionsUnderWay(2, () => undefined, new LinesLogger(), timers);
    const inspection = heldInspection();
    let told = 0;
    const onSlow = (): Promise<void> => Promise.resolve(void (told += 1));
    inspections.start('q-1', () => inspection.promise, onSlow);
    expect([...timers.waiting.values()]).toEqual([10_000]);
    if (isEnded) inspection.resolve();
    await new Promise(setImmediate);
    for (const ring of timers.waiting.keys()) ring();
    await new Promise(setImmediate);
    expect(told).toBe(times);
  });
});

describe('poll requests', () => {
  /** Keeps each statement, and can be away. */
  class CountingSchedule extends FakeSchedule {
    readonly statements: (readonly string[])[] = [];
    readonly madeDue: string[] = [];
    readonly hinted: string[] = [];
    isDown = false;
    /** How long a statement takes. */
    takesMs = 0;

    override async makeDue(quoteIds: readonly string[], pollMs: number): Promise<void> {
      this.statements.push(quoteIds);
      if (this.takesMs > 0) await new Promise((resolve) => setTimeout(resolve, this.takesMs));
      if (this.isDown) throw new StoreUnavailable();
      this.madeDue.push(...quoteIds);
      await super.makeDue(quoteIds, pollMs);
    }

    override async hint(quoteIds: readonly string[], leaseMs: number): Promise<void> {
      this.hinted.push(...quoteIds);
      await super.hint(quoteIds, leaseMs);
    }
  }

  let schedule: CountingSchedule;
  let requests: ScheduledPollRequests;

  beforeEach(() => {
    jest.useFakeTimers();
    const clock = new FakeClock();
    schedule = new CountingSchedule(new FakePayments(clock), clock);
    requests = pollRequestsOn({
      schedule,
      rateLimit: new FakeProviderRateLimit(schedule, new FakeProvider(), clock),
    });
  });
  afterEach(() => {
    requests.stop();
    jest.useRealTimers();
  });

  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  describe('what providers report', () => {
    it('goes into one statement for all that are named at about the same time', async () => {
      requests.makeDue(['a']);
      requests.makeDue(['b', 'a']);
      requests.makeDue(['c']);
      await pass(20);
      expect(schedule.statements).toEqual([['a', 'b', 'c']]);
    });

    it('while a statement runs is written again after it: it may have come too late', async () => {
      schedule.takesMs = 100;
      requests.makeDue(['a']);
      await pass(50);
      requests.makeDue(['a']);
      await pass(1_200);
      expect(schedule.statements).toEqual([['a'], ['a']]);
    });

    it('does not hold back other payments by one that is named over and over', async () => {
      requests.makeDue(['a']);
      await pass(50);
      requests.makeDue(['a', 'b']);
      await pass(900);
      expect(schedule.statements).toEqual([['a'], ['b']]);
      await pass(100);
      expect(schedule.statements).toEqual([['a'], ['b'], ['a']]);
    });

    it('survives a database that is away', async () => {
      schedule.isDown = true;
      requests.makeDue(['a', 'b']);
      await pass(1_020);
      expect(schedule.statements).toHaveLength(2);
      schedule.isDown = false;
      await pass(1_000);
      expect(schedule.madeDue).toEqual(['a', 'b']);
    });

    it('goes in statements of bounded size, and beyond a bound is left to polling', async () => {
      requests.makeDue(Array.from({ length: 12_000 }, (_, index) => `q${index}`));
      await pass(500);
      requests.makeDue(['one more']);
      await pass(50);
      expect(schedule.madeDue).toHaveLength(10_001);
      expect(Math.max(...schedule.statements.map((ids) => ids.length))).toBe(500);
    });

    it('is written at a stop, even by a database that refuses it', async () => {
      requests.makeDue(['a']);
      requests.stop();
      await requests.writeRest();
      expect(schedule.madeDue).toEqual(['a']);
      schedule.isDown = true;
      requests.makeDue(['b']);
      await requests.writeRest();
      expect(schedule.madeDue).toEqual(['a']);
    });
  });

  it('of clients are written for many at once, and once for one that asks over and over', async () => {
    for (const quoteId of ['a', 'b', 'a']) requests.hint(quoteId);
    await pass(500);
    for (const quoteId of ['a', 'c', 'b']) requests.hint(quoteId);
    await pass(600);
    expect(schedule.hinted).toEqual(['a', 'b', 'c']);
    expect(schedule.statements).toEqual([]);
  });
});
