import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { NO_SCALE } from '../../src/domain/polling/interval-scale.ts';
import { URGENCY } from '../../src/domain/polling/urgency.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { OpenDemand } from '../../src/ports/provider-rate-limit.ts';
import type { Claim } from '../../src/ports/schedule.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { AnswerTimes } from '../../src/features/polling/provider-troubles.ts';
import { RateLimitView } from '../../src/features/polling/rate-limit-view.ts';
import { ProviderCircuit } from '../../src/features/polling/provider-circuit.ts';
import { PollRecorder } from '../../src/features/polling/poll-recorder.ts';
import { TrackerMaintenance } from '../../src/features/polling/tracker-maintenance.ts';
import { claimOf } from '../support/claim.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FakeProviderRateLimit } from '../support/fakes/provider-rate-limit.fake.ts';
import { FakeSchedule } from '../support/fakes/schedule.fake.ts';
import { madePayment } from '../support/made-payment.ts';
import { recorderOn } from '../support/poll-requests.ts';
import { POLLING } from '../support/poll-results.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

const INTERVAL_MS = URGENCY_RULES.pollIntervalMs;
const STALLED_AFTER_MS = 900_000;
/** Ten requests a second, or a little less. */
const MAX_RPM = 600;
const WANTED = { urgency: URGENCY.unattended, payments: 300, perSecond: 300 / 7, overdue: 0, putOff: 0 };

let rateLimit: FakeProviderRateLimit;
let provider: FakeProvider;
let schedule: FakeSchedule;
let clock: FakeClock;
let maintenance: TrackerMaintenance;
let said: string[];
let passedMs: number;

beforeEach(() => {
  said = [];
  for (const level of ['debug', 'log', 'warn'] as const) {
    jest.spyOn(Logger.prototype, level).mockImplementation((line: unknown) => void said.push(String(line)));
  }
  passedMs = 0;
  const startedAt = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => startedAt + passedMs);
  provider = new FakeProvider();
  clock = new FakeClock();
  schedule = new FakeSchedule(new FakePayments(clock), clock);
  rateLimit = new FakeProviderRateLimit(schedule, provider, clock);
  maintenance = started();
});
afterEach(() => void jest.restoreAllMocks());

function started(): TrackerMaintenance {
  const view = new RateLimitView(rateLimit, provider, SYSTEM_TIMERS);
  const answers = new AnswerTimes(provider, SYSTEM_TIMERS);
  const watch = new ProviderCircuit(rateLimit, view, answers, clock, SYSTEM_TIMERS, INTERVAL_MS);
  const recorder = recorderOn(schedule, { clock, circuit: watch });
  return new TrackerMaintenance(schedule, rateLimit, view, recorder, clock, SYSTEM_TIMERS, POLLING);
}

/** Ticks this many times, a second apart. */
async function tick(times = 1): Promise<void> {
  for (let maintenances = 0; maintenances < times; maintenances += 1) {
    await maintenance.tick();
    passedMs += 1_001;
  }
}

function wants(demand: OpenDemand): void {
  jest.spyOn(rateLimit, 'demand').mockResolvedValue([demand]);
}

function lagIs(ms: number): void {
  jest.spyOn(schedule, 'nextDueInMs').mockResolvedValue(-ms);
}

describe('a pulse', () => {
  it('comes once a second, however often the tracker goes round', async () => {
    const seen = jest.spyOn(rateLimit, 'state');
    await maintenance.tick();
    await maintenance.tick();
    await maintenance.tick();
    expect(seen).toHaveBeenCalledTimes(1);
    passedMs += 1_001;
    await maintenance.tick();
    expect(seen).toHaveBeenCalledTimes(2);
  });

  it('that failed is made up for at once', async () => {
    const seen = jest.spyOn(rateLimit, 'state').mockRejectedValueOnce(new StoreUnavailable());
    await expect(maintenance.tick()).rejects.toThrow(StoreUnavailable);
    await maintenance.tick();
    expect(seen).toHaveBeenCalledTimes(2);
  });
});

describe('the interval scale', () => {
  beforeEach(() => {
    provider.limits = { ...provider.limits, maxRpm: MAX_RPM };
    wants(WANTED);
  });

  it('is none without a limit, and nobody is counted for it', async () => {
    provider.limits = { ...provider.limits, maxRpm: 0 };
    const counted = jest.spyOn(rateLimit, 'demand');
    await tick(10);
    expect(counted).not.toHaveBeenCalled();
    expect(schedule.scale).toEqual(NO_SCALE);
  });

  it.each([
    ['the budget suffices', { ...WANTED, payments: 30, perSecond: 30 / 7 }, 1],
    ['one request may ask about many payments', WANTED, 50],
  ])('is none while %s', async (_why, demand, batchSize) => {
    wants(demand);
    provider.limits = { ...provider.limits, batchSize };
    const scaled = jest.spyOn(rateLimit, 'setScale');
    await tick(10);
    expect(scaled).not.toHaveBeenCalled();
  });

  it('fits what is wanted to a budget that is too short', async () => {
    await tick();
    const [inFlight, , unattended] = schedule.scale;
    expect(inFlight).toBe(1);
    expect(unattended).toBeGreaterThan(4);
    expect(unattended).toBeLessThanOrEqual(10);
  });

  it('is left alone while about the same is wanted, and follows what changes', async () => {
    const scaled = jest.spyOn(rateLimit, 'setScale');
    await tick(12);
    expect(scaled).toHaveBeenCalledTimes(1);
    wants({ ...WANTED, payments: 150, perSecond: 150 / 7 });
    await tick(6);
    expect(scaled).toHaveBeenCalledTimes(2);
  });

  it('is set again while payments wait for as long as a former one has put them off', async () => {
    await tick();
    const scaled = jest.spyOn(rateLimit, 'setScale');
    wants({ ...WANTED, putOff: 1 });
    await tick(6);
    expect(scaled).toHaveBeenCalledWith(schedule.scale);
    wants(WANTED);
    scaled.mockClear();
    await tick(12);
    expect(scaled).not.toHaveBeenCalled();
  });

  it('ends when the budget suffices again, and when there is no limit any more', async () => {
    await tick();
    wants({ ...WANTED, payments: 30, perSecond: 30 / 7 });
    await tick(6);
    expect(schedule.scale).toEqual(NO_SCALE);
    await rateLimit.setScale([1, 2, 9, 9]);
    provider.limits = { ...provider.limits, maxRpm: 0 };
    await tick(6);
    expect(schedule.scale).toEqual(NO_SCALE);
  });
});

describe('the overdue payments', () => {
  const OUTAGE_MS = 60_000;
  let spread: jest.SpiedFunction<typeof schedule.spreadOverdue>;

  beforeEach(() => {
    spread = jest.spyOn(schedule, 'spreadOverdue').mockImplementation(() => {
      lagIs(0);
      return Promise.resolve({ payments: 3, withinMs: INTERVAL_MS });
    });
  });

  const spreadLines = (): string[] => said.filter((line) => line.includes('overdue'));

  it.each([
    ['a start', 0],
    ['an outage', 3],
  ])('are spread once after %s, which the log tells, as it does the end', async (_what, before) => {
    lagIs(0);
    await tick(before);
    lagIs(OUTAGE_MS);
    await tick(5);
    expect(spread).toHaveBeenCalledTimes(1);
    const begin = '3 overdue payments are polled within 7.0 s after an outage';
    expect(spreadLines()).toEqual([begin]);
    await tick(5);
    expect(spreadLines()).toEqual([begin, 'the overdue payments are polled: the schedule is kept again']);
    lagIs(OUTAGE_MS);
    await tick(2);
    expect(spread).toHaveBeenCalledTimes(2);
  });

  it.each([0, 1_000, 2 * INTERVAL_MS])('are not spread when one has been due for %d ms', async (ms) => {
    lagIs(ms);
    await tick(5);
    expect(spread).not.toHaveBeenCalled();
  });

  it('are not spread where there is too much work: that lets the schedule fall behind little by little', async () => {
    for (let lagMs = 0; lagMs <= OUTAGE_MS; lagMs += 5_000) {
      lagIs(lagMs);
      await tick();
    }
    expect(spread).not.toHaveBeenCalled();
    for (const lagMs of [INTERVAL_MS + 500, 500, 0]) {
      lagIs(lagMs);
      await tick(3);
    }
    expect(said).toEqual(['the schedule is 15 s behind', 'the schedule is kept again']);
  });

  it('are not spread at each look where the database is so slow that every round lasts as long as an outage', async () => {
    for (let round = 1; round <= 4; round += 1) {
      lagIs(round * OUTAGE_MS);
      await tick();
    }
    expect(spread).toHaveBeenCalledTimes(2);
  });

  it.each<[string, () => void, () => void]>([
    [
      'only probes go out',
      () => (rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, circuit: 'open' }),
      () => (rateLimit.rateLimit = INITIAL_RATE_LIMIT),
    ],
    [
      'the provider has asked for a pause',
      () => (rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, pausedUntil: clock.now().getTime() + 90_000 }),
      () => (rateLimit.rateLimit = INITIAL_RATE_LIMIT),
    ],
    [
      'polls wait for their commit',
      () => jest.spyOn(PollRecorder.prototype, 'isBehind', 'get').mockReturnValue(true),
      () => jest.spyOn(PollRecorder.prototype, 'isBehind', 'get').mockReturnValue(false),
    ],
  ])('are spread when it is over that %s', async (_what, begin, end) => {
    lagIs(0);
    await tick();
    begin();
    for (let lagMs = 1_000; lagMs <= OUTAGE_MS; lagMs += 1_000) {
      lagIs(lagMs);
      await tick();
    }
    expect(spread).not.toHaveBeenCalled();
    end();
    await tick();
    expect(spread).toHaveBeenCalledTimes(1);
  });

  it('are spread as soon as a pause is over, before anything is claimed', async () => {
    rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, pausedUntil: clock.now().getTime() + 30_200 };
    for (let second = 0; second <= 30; second += 1) {
      lagIs(second * 1_000);
      await maintenance.tick();
      if (second < 30) [passedMs] = [passedMs + 1_001, clock.advance(1_001)];
    }
    expect([maintenance.heldForMs > 0, spread.mock.calls.length]).toEqual([true, 0]);
    clock.advance(250);
    passedMs += 250;
    expect(maintenance.heldForMs).toBe(0);
    await maintenance.tick();
    expect(spread).toHaveBeenCalledTimes(1);
  });
});

describe('payments that the provider can’t be asked about', () => {
  function unanswered(quoteId: string, silentForMs: number): Claim {
    return claimOf(madePayment(clock.now(), { quoteId }), {
      paymentId: quoteId,
      quoteId: 'q',
      silentSince: new Date(clock.now().getTime() - silentForMs),
      nextInMs: 0,
      urgency: URGENCY.unattended,
    });
  }

  it('are left alone while the provider works', async () => {
    const claimed = jest.spyOn(schedule, 'claimUnanswered');
    lagIs(2 * STALLED_AFTER_MS);
    await tick(5);
    expect(claimed).not.toHaveBeenCalled();
  });

  it.each(['open', 'credentials'] as const)(
    'are reported as silent while its circuit is %s',
    async (circuit) => {
      rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, circuit };
      const claims = [unanswered('a', STALLED_AFTER_MS), unanswered('b', 2 * STALLED_AFTER_MS)];
      jest.spyOn(schedule, 'claimUnanswered').mockResolvedValueOnce(claims);
      const recorded = jest
        .spyOn(schedule, 'record')
        .mockResolvedValue({ stale: 0, outdated: [], deliveries: null });
      await tick();
      const polls = recorded.mock.calls.flatMap(([batch]) => batch);
      expect(polls.map(({ claim, events }) => [claim.paymentId, events.map(({ reason }) => reason)])).toEqual(
        [
          ['a', ['provider_silent']],
          ['b', ['provider_silent']],
        ],
      );
      for (const poll of polls) {
        expect(poll).toMatchObject({
          isSilent: true,
          isCharged: false,
          payment: { status: 'AWAITING_DEPOSIT' },
        });
      }
    },
  );

  it('are asked for by how long they may be silent', async () => {
    rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, circuit: 'open' };
    const claimed = jest.spyOn(schedule, 'claimUnanswered');
    await tick();
    expect(claimed.mock.lastCall as unknown).toEqual([expect.any(Number), STALLED_AFTER_MS, 0]);
  });
});
