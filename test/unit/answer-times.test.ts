import { beforeEach, describe, expect, it } from '@jest/globals';

import { AnswerTimes } from '../../src/features/polling/provider-troubles.ts';
import { providerItems } from '../../src/features/attention/provider-items.ts';
import { INITIAL_RATE_LIMIT } from '../../src/domain/rate-limit/rate-limit.ts';
import { NO_SCALE } from '../../src/domain/polling/interval-scale.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import type { SeenReplica } from '../../src/ports/replicas.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';

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
    const http = { name: 'http', limits: LIMITS, state, waiting: null, since: null, capacity: null };
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
