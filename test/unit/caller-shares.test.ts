import { describe, expect, it } from '@jest/globals';

import { shareAmongCallers, type CallerState } from '../../src/domain/rate-limit/caller-shares.ts';
import {
  INITIAL_RATE_LIMIT,
  type RateLimit,
  type RateLimitRules,
} from '../../src/domain/rate-limit/rate-limit.ts';
import { openCircuit } from '../../src/domain/rate-limit/rate-limit-transitions.ts';

const T0 = 1_800_000_000_000;
const RULES: RateLimitRules = { maxRpm: 120, timeoutMs: 5_000 };
/** Callers get half of it. */
const RATE = 119 / 62.5;

/** Callers who ask at several replicas, all on one row. */
class Callers {
  rateLimit: RateLimit = { ...INITIAL_RATE_LIMIT, refilledAt: T0 };
  now = T0;
  readonly granted = new Map<string, number>();
  private turns: readonly CallerState[] = [];

  /** One replica asks for all who wait there. */
  ask(wanted: Record<string, number>): ReadonlyMap<string, number> {
    const round = shareAmongCallers(
      this.rateLimit,
      this.turns,
      new Map(Object.entries(wanted)),
      this.now,
      RULES,
    );
    this.rateLimit = round.rateLimit;
    this.turns = round.callers;
    for (const [caller, count] of round.granted)
      this.granted.set(caller, (this.granted.get(caller) ?? 0) + count);
    return round.waitMs;
  }

  of(caller: string): number {
    return this.granted.get(caller) ?? 0;
  }
}

function run(seconds: number, everyMs: number, step: (callers: Callers, tick: number) => void): Callers {
  const callers = new Callers();
  for (let tick = 0; tick < (seconds * 1_000) / everyMs; tick += 1) {
    callers.now += everyMs;
    step(callers, tick);
  }
  return callers;
}

describe('requests for callers who wait', () => {
  it('all go to the only one', () => {
    const callers = run(60, 50, (each) => void each.ask({ flood: 50 }));
    expect(callers.of('flood')).toBeGreaterThan(60 * RATE * 0.5 * 0.95);
    expect(callers.of('flood')).toBeLessThanOrEqual(60 * RATE * 0.5 + 2);
  });

  it.each([1, 2])('are shared equally by two who want all, at %d replicas', (replicas) => {
    const callers = run(60, 50, (each) => {
      if (replicas === 1) each.ask({ a: 50, b: 3 });
      else {
        each.ask({ a: 50 });
        each.ask({ b: 3 });
      }
    });
    expect(Math.abs(callers.of('a') - callers.of('b'))).toBeLessThanOrEqual(2);
    expect(callers.of('a') + callers.of('b')).toBeGreaterThan(60 * RATE * 0.5 * 0.9);
  });

  it('come first to one who seldom asks, whose turn is kept while a flood asks elsewhere', () => {
    let [asked, waits] = [0, 0];
    let isWaiting = false;
    const callers = run(120, 50, (each, tick) => {
      if (tick % 60 === 0) [asked, isWaiting] = [asked + 1, true];
      for (let times = 0; times < 5; times += 1) each.ask({ flood: 50 });
      if (!isWaiting) return;
      isWaiting = each.ask({ calm: 1 }).has('calm');
      if (isWaiting) waits += 1;
    });
    expect(callers.of('calm')).toBeGreaterThanOrEqual(asked - 1);
    // The next request that anybody gets is its own: half a second on average, and never more than one.
    expect((waits * 50) / asked).toBeLessThanOrEqual(1_100);
    expect(callers.of('flood')).toBeGreaterThan(120 * RATE * 0.5 - asked - 5);
  });

  it('are not kept for one who does not come back', () => {
    const callers = run(60, 50, (each, tick) => {
      if (tick < 20) each.ask({ gone: 1, flood: 5 });
      else each.ask({ flood: 5 });
    });
    expect(callers.of('flood')).toBeGreaterThan(60 * RATE * 0.5 - 8);
  });

  it('are kept for a caller that was asked to come again', () => {
    const callers = run(5, 50, (each) => void each.ask({ flood: 5 }));
    const waitMs = callers.ask({ calm: 1 }).get('calm') ?? 0;
    callers.now += waitMs + 1_000;
    callers.ask({ flood: 5 });
    callers.ask({ calm: 1 });
    expect(callers.of('calm')).toBe(1);
  });

  it('are one probe while the circuit is open, and nobody else waits', () => {
    const callers = run(10, 50, (each) => void each.ask({}));
    callers.rateLimit = openCircuit(callers.rateLimit, 'open', false, callers.now);
    callers.now += 2_000;
    callers.ask({ a: 3, b: 3 });
    expect(callers.of('a') + callers.of('b')).toBe(1);
  });

  it('are as many as anybody wants without a limit', () => {
    const free = { maxRpm: 0, timeoutMs: 5_000 };
    const round = shareAmongCallers(INITIAL_RATE_LIMIT, [], new Map([['a', 500]]), T0, free);
    expect(round.granted.get('a')).toBe(500);
    expect(round.waitMs.size).toBe(0);
  });
});
