import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import type { Admission } from '../../src/domain/rate-limit/token-bucket.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { AnswerTimes } from '../../src/features/polling/provider-troubles.ts';
import { RateLimitView } from '../../src/features/polling/rate-limit-view.ts';
import { ProviderLimiter } from '../../src/features/polling/provider-limiter.ts';
import { ProviderCircuit } from '../../src/features/polling/provider-circuit.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FakeProviderRateLimit } from '../support/fakes/provider-rate-limit.fake.ts';
import { FakeSchedule } from '../support/fakes/schedule.fake.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

/** About ten requests a second, which makes a slice of three. */
const MAX_RPM = 600;
const SLICE = 3;
/** A little more than a minute's 600 requests are spread over, the burst apart. */
const NEXT_MS = 106;

let rateLimit: FakeProviderRateLimit;
let provider: FakeProvider;
let clock: FakeClock;
let view: RateLimitView;
let watch: ProviderCircuit;
let gate: ProviderLimiter;
let taken: number[];

beforeEach(async () => {
  for (const level of ['debug', 'warn'] as const) jest.spyOn(Logger.prototype, level).mockReturnValue();
  provider = new FakeProvider();
  clock = new FakeClock();
  rateLimit = new FakeProviderRateLimit(new FakeSchedule(new FakePayments(clock), clock), provider, clock);
  provider.limits = { ...provider.limits, maxRpm: MAX_RPM };
  view = new RateLimitView(rateLimit, provider, SYSTEM_TIMERS);
  watch = new ProviderCircuit(
    rateLimit,
    view,
    new AnswerTimes(provider, SYSTEM_TIMERS),
    clock,
    SYSTEM_TIMERS,
    7_000,
  );
  gate = new ProviderLimiter(rateLimit, view, watch, SYSTEM_TIMERS);
  await view.refresh();
  const take = rateLimit.takeRequests.bind(rateLimit);
  taken = [];
  jest.spyOn(rateLimit, 'takeRequests').mockImplementation((wanted) => {
    taken.push(wanted);
    return take(wanted);
  });
});

afterEach(() => void jest.restoreAllMocks());

async function granted(wanted: number): Promise<number> {
  return (await gate.admit(wanted)).granted;
}

/** Lets time pass only for the gate. */
function passTo(ms: number): void {
  const now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now + ms);
}

describe('a gate without a limit', () => {
  beforeEach(async () => {
    provider.limits = { ...provider.limits, maxRpm: 0 };
    await view.refresh();
  });

  it('lets everything through and asks nobody', async () => {
    expect(gate.isFree).toBe(true);
    expect(await granted(5_000)).toBe(5_000);
    expect(taken).toEqual([]);
  });

  it('asks once the provider has been seen to be in trouble', async () => {
    rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, circuit: 'open' };
    await view.refresh();
    expect(gate.isFree).toBe(false);
    await granted(5);
    expect(taken).toHaveLength(1);
  });

  it('keeps nothing of what was granted freely', async () => {
    const admission = await gate.admit(500);
    const at = clock.now().getTime();
    rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, slowed: { to: 4, from: 8, at } };
    await view.refresh();
    gate.unused(400, admission);
    passTo(50);
    await granted(400);
    expect(taken.filter((wanted) => wanted > 0)).toEqual([1]);
  });
});

describe('a gate with a limit', () => {
  it('takes a slice ahead, and asks again only when that is used up', async () => {
    expect([await granted(1), await granted(1), await granted(1)]).toEqual([1, 1, 1]);
    expect(taken).toEqual([SLICE]);
    await granted(1);
    expect(taken).toEqual([SLICE, SLICE]);
  });

  it('lets no more through than a slice at once', async () => {
    expect(await granted(1_000)).toBe(SLICE);
  });

  it('keeps what was not used for the next round', async () => {
    const admission = await gate.admit(SLICE);
    gate.unused(2, admission);
    expect(await granted(5)).toBe(2);
    expect(taken).toEqual([SLICE]);
  });

  it('gives back what it has held for more than a second', async () => {
    const admission = await gate.admit(1);
    gate.unused(1, admission);
    passTo(1_100);
    await granted(1);
    expect(taken).toEqual([SLICE, -SLICE, SLICE]);
  });

  it('must reserve again once it has held the rest of a slice for more than a second', async () => {
    expect(gate.mustReserve).toBe(true);
    gate.unused(1, await gate.admit(1));
    expect(gate.mustReserve).toBe(false);
    passTo(1_100);
    expect(gate.mustReserve).toBe(true);
  });

  it('must reserve again once the provider was shut off: what it held is void', async () => {
    gate.unused(1, await gate.admit(1));
    rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, circuit: 'open', probeAt: 0 };
    await view.refresh();
    expect(gate.mustReserve).toBe(true);
  });

  it('goes on when nothing can be given back', async () => {
    await gate.admit(1);
    passTo(1_100);
    jest.spyOn(rateLimit, 'takeRequests').mockRejectedValueOnce(new StoreUnavailable());
    expect(await granted(1)).toBe(1);
  });

  it('says when to come again, once the budget is used up', async () => {
    const { granted: all } = await rateLimit.takeRequests(1_000);
    expect(all).toBeGreaterThan(SLICE);
    expect(await gate.admit(5)).toEqual({ granted: 0, isProbe: false, waitMs: expect.closeTo(NEXT_MS, 0) });
  });

  it('lets nothing through that it held when the provider was shut off', async () => {
    await gate.admit(1);
    rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, pausedUntil: clock.now().getTime() + 60_000 };
    await view.refresh();
    expect(await granted(2)).toBe(0);
    expect(taken).toEqual([SLICE, SLICE]);
  });

  it('waits until the replicas know what was seen here', async () => {
    const order: string[] = [];
    jest.spyOn(watch, 'settled').mockImplementation(async () => void order.push('settled'));
    await granted(1);
    expect([...order, ...taken]).toEqual(['settled', SLICE]);
  });
});

describe('a probe', () => {
  const PROBE: Admission = { granted: 1, isProbe: true, waitMs: 0 };

  beforeEach(async () => {
    rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, circuit: 'open', probeAt: clock.now().getTime() + 60_000 };
    await view.refresh();
    jest.spyOn(rateLimit, 'takeRequests').mockResolvedValueOnce(PROBE);
  });

  it('is reported to the code that judges the answers, and is one request', async () => {
    expect(await gate.admit(100)).toEqual(PROBE);
    watch.recordAnswer('q', { kind: 'credentials' });
    await watch.settled();
    expect(rateLimit.published).toEqual(['probe credentials']);
  });

  it('that was not made is taken back, and leaves nothing for later', async () => {
    gate.unused(1, await gate.admit(100));
    watch.recordAnswer('q', { kind: 'credentials' });
    await watch.settled();
    expect(rateLimit.published).toEqual([]);
    expect(await granted(1)).toBe(0);
  });
});
