import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { RateLimit } from '../../src/domain/rate-limit/rate-limit.ts';
import { NO_SCALE } from '../../src/domain/polling/interval-scale.ts';
import { OperatingFigures } from '../../src/features/health/operating-figures.ts';
import type { DeliveriesNow, DeliveryFigures } from '../../src/ports/delivery-figures.ts';
import type { AskingFigures, ProviderFigures } from '../../src/ports/metrics.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { RateLimitState, ProviderRateLimit } from '../../src/ports/provider-rate-limit.ts';
import type { Schedule, ScheduleFigures } from '../../src/ports/schedule.ts';
import type { Replicas, SeenReplica } from '../../src/ports/replicas.ts';
import type { AskedQuote } from '../../src/ports/unanswered-quotes.ts';
import { NOTHING_UNTOLD } from '../../src/ports/untold-payments.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { FakeEventLog } from '../support/fakes/event-log.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FakeUnansweredQuotes } from '../support/fakes/unanswered-quotes.fake.ts';
import { cellsOf } from '../support/cells.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

const NOW_MS = 1_000_000;
const DELIVERIES: DeliveriesNow = {
  oldest: [{ destination: 'webhook', cause: 'failing', ageMs: 7 }],
  endpoints: [{ state: 'ok', endpoints: 1 }],
  unreadableSecrets: 0,
  untold: NOTHING_UNTOLD,
};

let clock: FakeClock;
let provider: FakeProvider;
let reads: number;
let readSchedule: () => Promise<ScheduleFigures>;
let readDeliveries: () => Promise<DeliveriesNow>;
let rateLimit: RateLimit;
let limiter: ProviderRateLimit;
let eventLog: FakeEventLog;
let health: FakeDatabaseHealth;
let unanswered: FakeUnansweredQuotes;
let running: Partial<SeenReplica>[];
let replicas: Replicas;
let figures: OperatingFigures;
let warnings: ReturnType<typeof jest.spyOn>;

beforeEach(() => {
  warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  clock = new FakeClock();
  provider = new FakeProvider();
  reads = 0;
  readSchedule = () => Promise.resolve({ open: [], lagMs: reads });
  readDeliveries = () => Promise.resolve(DELIVERIES);
  rateLimit = { ...INITIAL_RATE_LIMIT, refilledAt: NOW_MS };
  const schedule = {
    figures: (): Promise<ScheduleFigures> => {
      reads += 1;
      return readSchedule();
    },
  } as Schedule;
  const now = (): Promise<RateLimitState> => Promise.resolve({ rateLimit, nowMs: NOW_MS, scale: NO_SCALE });
  const deliveries = { now: () => readDeliveries() } as DeliveryFigures;
  eventLog = new FakeEventLog();
  health = new FakeDatabaseHealth();
  limiter = { state: now } as ProviderRateLimit;
  const cells = cellsOf({ provider, schedule, rateLimit: limiter });
  unanswered = new FakeUnansweredQuotes();
  running = [];
  replicas = { recent: () => Promise.resolve(running) } as Replicas;
  figures = new OperatingFigures(cells, deliveries, eventLog, health, unanswered, replicas, clock.timers);
});

afterEach(() => void jest.restoreAllMocks());

/** The figures of the only provider. */
async function read(): Promise<ProviderFigures | undefined> {
  return (await figures.read())?.providers[0];
}

function failing(error: Error): () => Promise<ScheduleFigures> {
  return async () => {
    throw error;
  };
}

async function budget(
  maxRpm: number,
  changes: Partial<RateLimit>,
): Promise<AskingFigures['budget'] | undefined> {
  provider.limits = { ...provider.limits, maxRpm };
  rateLimit = { ...rateLimit, ...changes };
  return (await read())?.asking?.budget;
}

describe('the figures of the database', () => {
  it('are read once for all who ask at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => figures.read()));
    expect(reads).toBe(1);
    expect(new Set(answers.map((answer) => answer?.providers[0]?.schedule.lagMs))).toEqual(new Set([1]));
  });

  it('have those of the deliveries in them, and are none without', async () => {
    expect((await figures.read())?.deliveries).toEqual(DELIVERIES);
    clock.advance(5_000);
    readDeliveries = () => Promise.reject(new StoreUnavailable());
    expect(await figures.read()).toBeNull();
  });

  it('have how long the event log is held up in them, and are none without', async () => {
    eventLog.heldMs = 31_000;
    expect((await figures.read())?.logHeldMs).toBe(31_000);
    clock.advance(5_000);
    eventLog.failure = new StoreUnavailable();
    expect(await figures.read()).toBeNull();
  });

  it('have the epoch of the database in them', async () => {
    jest.spyOn(health, 'wentBack', 'get').mockReturnValue({ epoch: 478_000, at: null });
    expect((await figures.read())?.epoch).toBe(478_000);
  });

  it('are those of each provider; one that is left has no budget and no circuit', async () => {
    const own = { schedule: { figures: () => readSchedule() } as Schedule, rateLimit: limiter };
    const left = Object.assign(new FakeProvider('oneclick'), { isLeft: true });
    const cells = cellsOf(
      { provider, ...own },
      { provider: new FakeProvider('relay'), ...own },
      { provider: left, ...own },
    );
    readSchedule = () => Promise.resolve({ open: [], lagMs: 7 });
    rateLimit = { ...rateLimit, circuit: 'open' };
    const all = new OperatingFigures(
      cells,
      { now: () => readDeliveries() } as DeliveryFigures,
      eventLog,
      health,
      unanswered,
      replicas,
      clock.timers,
    );
    for (const provider of ['relay', 'relay', 'oneclick']) {
      const request = { provider, orderId: null, request: {} } as unknown as AskedQuote;
      await unanswered.fail(await unanswered.begin(request), 'timeout');
    }
    const { providers = [] } = (await all.read()) ?? {};
    expect(
      providers.map((each) => [
        each.provider,
        each.schedule.lagMs,
        each.unansweredQuotes,
        each.asking?.circuit,
      ]),
    ).toEqual([
      ['http', 7, 0, 'open'],
      ['relay', 7, 2, 'open'],
      ['oneclick', 7, 1, undefined],
    ]);
  });

  it('are kept for five seconds', async () => {
    await figures.read();
    clock.advance(4_999);
    expect((await read())?.schedule.lagMs).toBe(1);
    clock.advance(1);
    expect((await read())?.schedule.lagMs).toBe(2);
  });

  it.each([-3_600_000, 3_600_000])('do not age by a correction of the clock of %d ms', async (ms) => {
    await figures.read();
    clock.jump(ms);
    await figures.read();
    expect(reads).toBe(1);
  });

  it.each([new StoreUnavailable(), new Error('syntax error')])(
    'are none, and no old ones, when reading fails with %p; and are back within five seconds',
    async (error) => {
      await figures.read();
      clock.advance(5_000);
      const works = readSchedule;
      readSchedule = failing(error);
      expect(await figures.read()).toBeNull();
      expect(await figures.read()).toBeNull();
      expect(reads).toBe(2);
      readSchedule = works;
      clock.advance(5_000);
      expect(await figures.read()).not.toBeNull();
    },
  );

  it('are none of a database that hangs, which is asked once', async () => {
    let answer: (schedule: ScheduleFigures) => void = () => undefined;
    readSchedule = () => new Promise((resolve) => (answer = resolve));
    expect(await Promise.all([figures.read(), figures.read()])).toEqual([null, null]);
    const late = figures.read();
    answer({ open: [], lagMs: 7 });
    expect((await late)?.providers[0]?.schedule.lagMs).toBe(7);
    expect(reads).toBe(1);
  });
});

describe('the log', () => {
  it('logs once why the figures cannot be read, until they can', async () => {
    const works = readSchedule;
    const breaks = failing(new Error('syntax error'));
    for (const read of [breaks, breaks, works, breaks]) {
      readSchedule = read;
      await figures.read();
      clock.advance(5_000);
    }
    const published = "the database's figures cannot be read for /metrics: syntax error";
    expect(warnings.mock.calls).toEqual([[published], [published]]);
  });

  it('leaves a database that is away to those who report it', async () => {
    readSchedule = failing(new StoreUnavailable());
    await figures.read();
    expect(warnings.mock.calls).toEqual([]);
  });
});

describe('the budget', () => {
  it('is infinite without a limit', async () => {
    expect(await budget(0, {})).toEqual({ perMinute: Infinity, available: Infinity });
  });

  it('is a little below the limit, for providers count differently, and what has come together', async () => {
    const { perMinute, available } = (await budget(6_000, { tokens: 40.9 })) ?? {};
    expect(perMinute).toBeGreaterThan(5_500);
    expect(perMinute).toBeLessThanOrEqual(6_000);
    expect(available).toBe(10);
  });

  it('is less after the provider asked for less', async () => {
    const slowed = { from: 10, to: 5, at: NOW_MS };
    expect((await budget(6_000, { slowed }))?.perMinute).toBe(300);
  });

  it.each([0, 6_000])(
    'allows nothing while the provider asked for a pause, at a limit of %i',
    async (maxRpm) => {
      expect((await budget(maxRpm, { tokens: 40, pausedUntil: NOW_MS + 1 }))?.available).toBe(0);
    },
  );

  it('allows only a probe while the circuit is open', async () => {
    const open = { tokens: 40, circuit: 'open' } as const;
    expect((await budget(6_000, { ...open, probeAt: NOW_MS + 1 }))?.available).toBe(0);
    clock.advance(5_000);
    expect((await budget(6_000, { ...open, probeAt: NOW_MS }))?.available).toBe(1);
  });
});

describe('a provider', () => {
  const UNREAD = {
    detail: 'its list of chains cannot be read',
    isKeyRefused: false,
    slowMs: null,
    refusals: [],
  };

  it('is unread while a running replica has a trouble with it', async () => {
    const isUnread = async (...seen: Partial<SeenReplica>[]): Promise<unknown> => {
      running = seen;
      clock.advance(5_000);
      return (await read())?.asking?.isUnread;
    };
    const providers = { http: UNREAD };
    expect(await isUnread({ providers: {}, isAlive: true }, { providers, isAlive: true })).toBe(true);
    expect(await isUnread({ providers, isAlive: false })).toBe(false);
    expect(await isUnread({ providers: { relay: UNREAD }, isAlive: true })).toBe(false);
  });
});
