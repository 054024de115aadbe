import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { newPayment } from '../../src/domain/payment/payment.ts';
import { FIRST_PACE } from '../../src/domain/rate-limit/rate-limit.ts';
import { NO_STRETCH } from '../../src/domain/polling/interval-scale.ts';
import { URGENCY } from '../../src/domain/polling/urgency.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { Claim } from '../../src/ports/schedule.ts';
import { LookRecorder } from '../../src/features/polling/poll-recorder.ts';
import { PaceView } from '../../src/features/polling/rate-limit-view.ts';
import { ProviderWatch } from '../../src/features/polling/provider-circuit.ts';
import { Pulse } from '../../src/features/polling/tracker-maintenance.ts';
import { TrackingRules } from '../../src/features/polling/polling.settings.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FakeProviderPace } from '../support/fakes/provider-pace.fake.ts';
import { FakeSchedule } from '../support/fakes/schedule.fake.ts';
import { URGENCY_RULES } from '../support/stores.ts';

const INTERVAL_MS = URGENCY_RULES.pollIntervalMs;
const STALLED_AFTER_MS = 900_000;
/** Ten requests a second, or a little less. */
const MAX_RPM = 600;
const WANTED = { urgency: URGENCY.unattended, payments: 300, perSecond: 300 / 7, overdue: 0 };

let pace: FakeProviderPace;
let provider: FakeProvider;
let schedule: FakeSchedule;
let clock: FakeClock;
let pulse: Pulse;
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
  pace = new FakeProviderPace();
  provider = new FakeProvider();
  clock = new FakeClock();
  schedule = new FakeSchedule(new FakePayments(clock), clock);
  pulse = started();
});
afterEach(() => void jest.restoreAllMocks());

function started(): Pulse {
  const rules = new TrackingRules(URGENCY_RULES, STALLED_AFTER_MS, 5_000, 5_000);
  const view = new PaceView(pace, provider);
  const watch = new ProviderWatch(pace, view);
  const recorder = new LookRecorder(schedule, watch, new FakeMeter(), clock, rules);
  return new Pulse(schedule, pace, view, recorder, clock, rules);
}

/** As many pulses, a second apart. */
async function beat(times = 1): Promise<void> {
  for (let pulses = 0; pulses < times; pulses += 1) {
    await pulse.beat();
    passedMs += 1_001;
  }
}

function lagIs(ms: number): void {
  jest.spyOn(schedule, 'nextDueInMs').mockResolvedValue(-ms);
}

describe('a pulse', () => {
  it('comes once a second, however often the tracker goes round', async () => {
    const seen = jest.spyOn(pace, 'now');
    await pulse.beat();
    await pulse.beat();
    await pulse.beat();
    expect(seen).toHaveBeenCalledTimes(1);
    passedMs += 1_001;
    await pulse.beat();
    expect(seen).toHaveBeenCalledTimes(2);
  });

  it('that failed is made up for at once', async () => {
    const seen = jest.spyOn(pace, 'now').mockRejectedValueOnce(new StoreUnavailable());
    await expect(pulse.beat()).rejects.toThrow(StoreUnavailable);
    await pulse.beat();
    expect(seen).toHaveBeenCalledTimes(2);
  });
});

describe('the stretch', () => {
  beforeEach(() => {
    provider.limits = { ...provider.limits, maxRpm: MAX_RPM };
    pace.wanted = [WANTED];
  });

  it('is none without a limit, and nobody is counted for it', async () => {
    provider.limits = { ...provider.limits, maxRpm: 0 };
    const counted = jest.spyOn(pace, 'demand');
    await beat(10);
    expect(counted).not.toHaveBeenCalled();
    expect(pace.stretched).toEqual(NO_STRETCH);
  });

  it('is none while the budget suffices', async () => {
    pace.wanted = [{ ...WANTED, payments: 30, perSecond: 30 / 7 }];
    const stretched = jest.spyOn(pace, 'stretch');
    await beat(10);
    expect(stretched).not.toHaveBeenCalled();
  });

  it('fits what is wanted to a budget that is too short', async () => {
    await beat();
    const [inFlight, , unattended] = pace.stretched;
    expect(inFlight).toBe(1);
    expect(unattended).toBeGreaterThan(4);
    expect(unattended).toBeLessThanOrEqual(10);
  });

  it('is left alone while about the same is wanted, and follows what changes', async () => {
    const stretched = jest.spyOn(pace, 'stretch');
    await beat(12);
    expect(stretched).toHaveBeenCalledTimes(1);
    pace.wanted = [{ ...WANTED, payments: 150, perSecond: 150 / 7 }];
    await beat(6);
    expect(stretched).toHaveBeenCalledTimes(2);
  });

  it('ends when the budget suffices again, and when there is no limit any more', async () => {
    await beat();
    pace.wanted = [{ ...WANTED, payments: 30, perSecond: 30 / 7 }];
    await beat(6);
    expect(pace.stretched).toEqual(NO_STRETCH);
    pace.stretched = [1, 2, 9, 9];
    provider.limits = { ...provider.limits, maxRpm: 0 };
    await beat(6);
    expect(pace.stretched).toEqual(NO_STRETCH);
  });

  it('counts that one request may ask about many payments', async () => {
    provider.limits = { ...provider.limits, batchSize: 50 };
    const stretched = jest.spyOn(pace, 'stretch');
    await beat(6);
    expect(stretched).not.toHaveBeenCalled();
  });
});

describe('a backlog', () => {
  it('is spread, and said, once', async () => {
    lagIs(60_000);
    await beat(5);
    expect(pace.told).toEqual(['spread']);
    expect(said.filter((line) => line.includes('60 s behind'))).toHaveLength(1);
  });

  it.each([0, 1_000, INTERVAL_MS])('is not that something has been due for %d ms', async (ms) => {
    lagIs(ms);
    await beat(5);
    expect(pace.told).toEqual([]);
  });

  it('is over once the schedule is kept again, and the next one is spread as well', async () => {
    lagIs(60_000);
    await beat();
    lagIs(INTERVAL_MS + 500);
    await beat(3);
    expect(said).not.toContain('the schedule is kept again');
    lagIs(500);
    await beat(3);
    expect(said.filter((line) => line === 'the schedule is kept again')).toHaveLength(1);
    lagIs(60_000);
    await beat();
    expect(pace.told).toEqual(['spread', 'spread']);
  });

  it('is not spread while only probes go out', async () => {
    pace.pace = { ...FIRST_PACE, circuit: 'open' };
    lagIs(60_000);
    await beat(3);
    expect(pace.told).toEqual([]);
  });
});

describe('payments that the provider can’t be asked about', () => {
  function unheard(quoteId: string, silentForMs: number): Claim {
    const fields = { quoteId, orderId: null, metadata: null, expiresAt: null, expectedMs: null };
    return {
      paymentId: quoteId,
      quoteId: 'q',
      knownMark: null,
      token: '1',
      payment: newPayment(fields, clock.now()),
      silentSince: new Date(clock.now().getTime() - silentForMs),
      failures: 0,
      scheduledInMs: null,
      nextInMs: 0,
      urgency: URGENCY.unattended,
      hintedAt: null,
      answeredAgoMs: null,
    };
  }

  it('are left alone while the provider works', async () => {
    const claimed = jest.spyOn(schedule, 'claimUnheard');
    lagIs(2 * STALLED_AFTER_MS);
    await beat(5);
    expect(claimed).not.toHaveBeenCalled();
  });

  it.each(['open', 'credentials'] as const)('are told as silent while its circuit is %s', async (circuit) => {
    pace.pace = { ...FIRST_PACE, circuit };
    const claims = [unheard('a', STALLED_AFTER_MS), unheard('b', 2 * STALLED_AFTER_MS)];
    jest.spyOn(schedule, 'claimUnheard').mockResolvedValueOnce(claims);
    const recorded = jest.spyOn(schedule, 'record').mockResolvedValue({ overtaken: 0, outdated: [] });
    await beat();
    const looks = recorded.mock.calls.flatMap(([batch]) => batch);
    expect(looks.map(({ claim, events }) => [claim.paymentId, events.map(({ reason }) => reason)])).toEqual([
      ['a', ['provider_silent']],
      ['b', ['provider_silent']],
    ]);
    for (const look of looks) {
      expect(look).toMatchObject({
        isSilent: true,
        isCharged: false,
        payment: { status: 'AWAITING_DEPOSIT' },
      });
    }
  });

  it('are asked for by how long they may be silent', async () => {
    pace.pace = { ...FIRST_PACE, circuit: 'open' };
    const claimed = jest.spyOn(schedule, 'claimUnheard');
    await beat();
    expect(claimed.mock.lastCall as unknown).toEqual([expect.any(Number), STALLED_AFTER_MS, 0]);
  });
});
