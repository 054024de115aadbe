import { afterEach, describe, expect, it, jest, beforeEach } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { ReplaySignal } from '../../src/platform/scheduling/wake-signal.ts';
import type { Replays } from '../../src/ports/replays.ts';
import { ReplayWorker } from '../../src/features/webhook-endpoints/replay-worker.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { LogWatch } from '../../src/features/events/log-watch.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeEventLog } from '../support/fakes/event-log.fake.ts';
import { Housekeeping, HousekeepingSettings } from '../../src/features/health/housekeeping.ts';
import type { Idempotency } from '../../src/ports/idempotency.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { MinuteFigures } from '../../src/ports/minute-figures.ts';
import { Retention, type Removed } from '../../src/ports/retention.ts';
import type { Sessions } from '../../src/ports/sessions.ts';
import type { UnansweredQuotes } from '../../src/ports/unanswered-quotes.ts';

const working: ReplayWorker[] = [];

/** Runs the given batches one after the other. */
class BatchedReplays {
  worked = 0;
  constructor(readonly batches: (number | Error)[]) {}

  async runBatch(): Promise<number | null> {
    this.worked += 1;
    const batch = this.batches.shift() ?? null;
    if (batch instanceof Error) throw batch;
    return batch;
  }
}

function begin(batches: (number | Error)[]): {
  replays: BatchedReplays;
  signals: DeliverySignals;
  wakeSignal: ReplaySignal;
} {
  const [replays, signals, wakeSignal] = [
    new BatchedReplays(batches),
    new DeliverySignals(),
    new ReplaySignal(),
  ];
  const work = new ReplayWorker(replays as unknown as Replays, signals, new FakeDatabaseHealth(), wakeSignal);
  working.push(work);
  work.onApplicationBootstrap();
  return { replays, signals, wakeSignal };
}

async function stopAll(): Promise<void> {
  for (const work of working.splice(0)) {
    work.onModuleDestroy();
    await work.beforeApplicationShutdown();
  }
}

describe('ReplayWorker', () => {
  afterEach(async () => {
    await stopAll();
    jest.restoreAllMocks();
  });

  it('goes on with what was left as soon as the database is ready, batch by batch', async () => {
    const { replays } = begin([500, 0, 0, 200]);
    await waitFor(() => replays.worked === 5);
  });

  it('wakes the dispatcher for the webhooks that it made due, and not for others', async () => {
    const { signals } = begin([500]);
    const wake = jest.spyOn(signals.of('rabbitmq'), 'wake');
    await signals.of('webhook').wait(60_000, AbortSignal.timeout(10_000));
    expect(wake).not.toHaveBeenCalled();
  });

  it('rests once nothing is left, until it is woken', async () => {
    const { replays, wakeSignal } = begin([]);
    await waitFor(() => replays.worked === 1);
    replays.batches.push(1);
    wakeSignal.wake();
    await waitFor(() => replays.worked === 3);
    expect(replays.batches).toEqual([]);
  });
});

describe('log watch', () => {
  let eventLog: FakeEventLog;
  let watch: LogWatch;
  let warnings: ReturnType<typeof jest.spyOn>;
  let news: ReturnType<typeof jest.spyOn>;

  beforeEach(() => {
    warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    news = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    eventLog = new FakeEventLog();
    watch = new LogWatch(eventLog, new FakeDatabaseHealth());
  });

  afterEach(() => void jest.restoreAllMocks());

  describe('the watch over the event log', () => {
    it('says nothing of transactions that end in time', async () => {
      eventLog.heldMs = 30_000;
      await watch.poll(0);
      expect([warnings.mock.calls, news.mock.calls]).toEqual([[], []]);
    });

    it('logs what is held up and what to do, once a minute, and when it is over', async () => {
      eventLog.heldMs = 31_000;
      await watch.poll(0);
      expect(warnings.mock.calls).toEqual([
        [
          expect.stringMatching(
            /^process 1 \(psql\) has a transaction open since .* keeps events of the last 31 s out/,
          ),
        ],
      ]);
      const [[published]] = warnings.mock.calls as [[string]];
      for (const word of ['pg_stat_activity', 'pg_prepared_xacts', 'idle_in_transaction_session_timeout'])
        expect(published).toContain(word);
      for (const nowMs of [10_000, 59_999, 60_000, 119_999]) await watch.poll(nowMs);
      expect(warnings.mock.calls).toHaveLength(2);

      eventLog.heldMs = 0;
      await watch.poll(120_000);
      await watch.poll(130_000);
      expect(news.mock.calls).toEqual([['/api/events and the streams show all events again']]);
      eventLog.heldMs = 31_000;
      await watch.poll(140_000);
      expect(warnings.mock.calls).toHaveLength(3);
    });
  });
});

describe('housekeeping', () => {
  const NOW = new Date('2026-11-20T12:00:00.000Z');
  const DAY_MS = 86_400_000;
  const RUNNING = new AbortController().signal;

  class FakeRetention extends Retention {
    closed = 0;
    orphans = 0;
    circuits = 0;
    unwanted = 0;
    audit = 0;
    readonly askedOfAudit: { before: Date; limit: number }[] = [];
    readonly usesBefore: Date[] = [];
    /** How many batches only remove deliveries, and no payment yet. */
    unfinished = 0;
    readonly asked: { before: Date; limit: number }[] = [];
    onBatch: () => Promise<void> | void = () => undefined;

    override async removeClosedBefore(before: Date, limit: number): Promise<Removed> {
      this.asked.push({ before, limit });
      await this.onBatch();
      if (this.unfinished > 0) {
        this.unfinished -= 1;
        return { count: 0, isMore: true };
      }
      const count = Math.min(this.closed, limit);
      this.closed -= count;
      return { count, isMore: count === limit };
    }
    override async discardOrphans(limit: number): Promise<Removed> {
      const count = Math.min(this.orphans, limit);
      this.orphans -= count;
      return { count, isMore: count === limit };
    }
    override async removeUnwanted(): Promise<number> {
      const removed = this.unwanted;
      this.unwanted = 0;
      return removed;
    }
    override async removeAudit(before: Date, limit: number): Promise<Removed> {
      this.askedOfAudit.push({ before, limit });
      const count = Math.min(this.audit, limit);
      this.audit -= count;
      return { count, isMore: count === limit };
    }
    override async removeKeyUses(before: Date): Promise<number> {
      this.usesBefore.push(before);
      return 0;
    }
    override async removeOrphanCircuits(): Promise<number> {
      const removed = this.circuits;
      this.circuits = 0;
      return removed;
    }
  }

  function setUp(): {
    retention: FakeRetention;
    removeExpired: jest.Mock<Idempotency['removeExpired']>;
    removeEnded: jest.Mock<Replays['removeEnded']>;
    endSessions: jest.Mock<Sessions['removeEnded']>;
    removeUnanswered: jest.Mock<UnansweredQuotes['removeBefore']>;
    removeBefore: jest.Mock<MinuteFigures['removeBefore']>;
    housekeeping: Housekeeping;
    health: FakeDatabaseHealth;
  } {
    const retention = new FakeRetention();
    const removeExpired = jest.fn<Idempotency['removeExpired']>().mockResolvedValue(0);
    const removeEnded = jest.fn<Replays['removeEnded']>().mockResolvedValue(0);
    const endSessions = jest.fn<Sessions['removeEnded']>().mockResolvedValue(0);
    const removeUnanswered = jest.fn<UnansweredQuotes['removeBefore']>().mockResolvedValue(0);
    const health = new FakeDatabaseHealth();
    const rules = new HousekeepingSettings(90 * DAY_MS, 365 * DAY_MS);
    const removeBefore = jest.fn<MinuteFigures['removeBefore']>();
    removeBefore
      .mockResolvedValueOnce({ count: 5_000, isMore: true })
      .mockResolvedValue({ count: 7, isMore: false });
    return {
      retention,
      removeExpired,
      removeEnded,
      endSessions,
      removeUnanswered,
      removeBefore,
      housekeeping: new Housekeeping(
        rules,
        retention,
        { removeExpired } as unknown as Idempotency,
        { removeEnded } as unknown as Replays,
        { removeEnded: endSessions } as unknown as Sessions,
        { removeBefore: removeUnanswered } as unknown as UnansweredQuotes,
        { removeBefore } as unknown as MinuteFigures,
        new FakeClock(),
        health,
      ),
      health,
    };
  }

  let errors: ReturnType<typeof jest.spyOn>;

  beforeEach(() => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  describe('housekeeping', () => {
    it('removes what closed before the retention, batch by batch, until nothing is left', async () => {
      const { retention, removeExpired, housekeeping } = setUp();
      Object.assign(retention, { closed: 1_234, orphans: 600, circuits: 3, unwanted: 7 });
      await housekeeping.round(RUNNING);
      const left = [retention.closed, retention.orphans, retention.circuits, retention.unwanted];
      expect(left).toEqual([0, 0, 0, 0]);
      expect(removeExpired).toHaveBeenCalledTimes(1);
      expect(retention.asked).toHaveLength(3);
      expect(retention.asked[0]).toEqual({ before: new Date('2026-08-22T12:00:00.000Z'), limit: 500 });
    });

    it('removes entries of the audit log after their own retention, batch by batch, and uses of keys with them', async () => {
      const { retention, housekeeping } = setUp();
      retention.audit = 1_200;
      await housekeeping.round(RUNNING);
      const before = new Date('2025-11-20T12:00:00.000Z');
      expect(retention.askedOfAudit).toEqual(Array.from({ length: 3 }, () => ({ before, limit: 500 })));
      expect([retention.audit, retention.usesBefore]).toEqual([0, [before]]);
    });

    it('removes sessions that have ended by now, what else is past the retention, and figures after 14 days', async () => {
      const { removeBefore, endSessions, removeEnded, removeUnanswered, housekeeping } = setUp();
      await housekeeping.round(RUNNING);
      expect(endSessions.mock.calls).toEqual([[NOW]]);
      for (const { mock } of [removeEnded, removeUnanswered])
        expect(mock.calls).toEqual([[new Date('2026-08-22T12:00:00.000Z')]]);
      const before = new Date('2026-11-06T12:00:00.000Z');
      expect(removeBefore.mock.calls).toEqual([
        [before, 5_000],
        [before, 5_000],
      ]);
    });

    it('goes on while a batch has removed deliveries only, and no payment yet', async () => {
      const { retention, housekeeping } = setUp();
      Object.assign(retention, { closed: 7, unfinished: 300 });
      await housekeeping.round(RUNNING);
      expect([retention.closed, retention.asked.length]).toEqual([0, 301]);
    });

    it('ends after a bounded number of batches and leaves the rest to the next hour', async () => {
      const { retention, housekeeping } = setUp();
      retention.closed = 1_000_000;
      await housekeeping.round(RUNNING);
      expect(retention.closed).toBe(500_000);
    });

    it('is woken by a timer every hour', () => {
      const { wake } = Housekeeping.prototype as unknown as Record<'wake', object>;
      expect(Reflect.getMetadata('SCHEDULE_CRON_OPTIONS', wake)).toMatchObject({
        cronTime: expect.stringMatching(/^\d+ \* \* \* \*$/),
      });
    });

    it('runs at the start and each time that its timer wakes it, never twice at once', async () => {
      const { retention, housekeeping } = setUp();
      let running = 0;
      let most = 0;
      retention.onBatch = async () => {
        most = Math.max(most, (running += 1));
        await new Promise(setImmediate);
        running -= 1;
      };
      retention.closed = 1_500;
      housekeeping.onApplicationBootstrap();
      // The timer may wake the housekeeping during a round: another round follows.
      housekeeping.wake();
      await waitFor(() => retention.asked.length === 5);
      housekeeping.wake();
      await waitFor(() => retention.asked.length === 6);
      housekeeping.onModuleDestroy();
      await housekeeping.beforeApplicationShutdown();
      expect(most).toBe(1);
    });

    it('logs a failure instead of throwing it, and does the other chores', async () => {
      const { retention, removeExpired, housekeeping } = setUp();
      retention.onBatch = () => Promise.reject(new Error('connection lost'));
      await expect(housekeeping.round(RUNNING)).resolves.toBeGreaterThan(0);
      expect(removeExpired).toHaveBeenCalledTimes(1);
      expect(errors).toHaveBeenCalledTimes(1);
    });

    it('throws while the database is in trouble, so that the loop repeats the round, and logs no error', async () => {
      const { retention, removeExpired, health, housekeeping } = setUp();
      const unavailable = new StoreUnavailable({ reason: 'connection lost' });
      retention.onBatch = () => Promise.reject(unavailable);
      jest.spyOn(health, 'trouble').mockReturnValue({ detail: 'connection lost', since: NOW });
      await expect(housekeeping.round(RUNNING)).rejects.toBe(unavailable);
      expect([removeExpired.mock.calls.length, errors.mock.calls.length]).toEqual([0, 0]);
    });

    it('ends its batch and no more when the service stops', async () => {
      const { retention, removeExpired, housekeeping } = setUp();
      retention.closed = 100_000;
      const stopping = new AbortController();
      retention.onBatch = () => stopping.abort();
      await housekeeping.round(stopping.signal);
      expect(retention.asked).toHaveLength(1);
      expect(removeExpired).not.toHaveBeenCalled();
    });
  });
});
