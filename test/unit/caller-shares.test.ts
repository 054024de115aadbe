import { describe, expect, it } from '@jest/globals';

import {
  shareAmongCallers,
  type CallerShares,
  type CallerState,
} from '../../src/domain/rate-limit/caller-shares.ts';
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

describe('a round of callers', () => {
  /** 470 requests a second for callers, of which this many may be sent at once. */
  const RICH: RateLimitRules = { maxRpm: 60_000, timeoutMs: 5_000 };
  const holding = (requests: number): RateLimit => ({
    ...INITIAL_RATE_LIMIT,
    tokens: requests,
    urgent: requests,
    refilledAt: T0,
  });
  const known = (caller: string, servedAt: number, waitsUntil = 0): CallerState => ({
    caller,
    servedAt,
    waitsUntil,
  });
  const round = (
    rateLimit: RateLimit,
    callers: readonly CallerState[],
    wanted: Record<string, number>,
    rules = RICH,
  ): CallerShares => shareAmongCallers(rateLimit, callers, new Map(Object.entries(wanted)), T0, rules);
  const grantedIn = (...given: Parameters<typeof round>): Record<string, number> =>
    Object.fromEntries(round(...given).granted);
  /** The time in which callers get a request. */
  const TURN_MS = 1_000 / (RATE / 2);

  it('gives each one request before any gets two, first to the one that was served longest ago', () => {
    const callers = [known('a', T0 - 1_000), known('b', T0 - 3_000), known('c', T0 - 2_000)];
    expect(grantedIn(holding(1), callers, { a: 2, b: 2, c: 2 })).toEqual({ b: 1 });
    expect(grantedIn(holding(4), callers, { a: 2, b: 2, c: 2 })).toEqual({ a: 1, b: 2, c: 1 });
    expect(grantedIn(holding(1), [], { a: 1, b: 1 })).toEqual({ a: 1 });
  });

  it('gives nobody more than it wants', () => {
    const callers = [known('a', T0 - 3_000), known('b', T0 - 1_000)];
    expect(grantedIn(holding(4), callers, { a: 1, b: 3 })).toEqual({ a: 1, b: 3 });
    expect(round(holding(5), callers, { a: 1, b: 3 }).rateLimit).toMatchObject({ tokens: 1, urgent: 1 });
  });

  it('tells each who gets none when its turn comes, and how often it comes', () => {
    const callers = [known('a', T0 - 1_000), known('b', T0 - 3_000), known('c', T0 - 2_000)];
    const { waitMs, everyMs } = round(holding(0), callers, { a: 1, b: 1, c: 1 }, RULES);
    expect([...waitMs.keys()]).toEqual(['b', 'c', 'a']);
    for (const [turn, ms] of [...waitMs.values()].entries()) expect(ms).toBeCloseTo((turn + 1) * TURN_MS);
    expect(everyMs).toBeCloseTo(3 * TURN_MS);
    expect(round(holding(1), callers, { a: 1, b: 1 }, RULES).waitMs.get('a')).toBeCloseTo(TURN_MS);
  });

  it('keeps one request for a caller of another replica whose turn it is', () => {
    const callers = [known('a', T0 - 1_000), known('elsewhere', T0 - 2_000, T0 + 1)];
    const { granted, rateLimit, waitMs } = round(holding(1), callers, { a: 2 }, RULES);
    expect([granted.size, rateLimit.urgent]).toEqual([0, 1]);
    expect(waitMs.get('a')).toBeCloseTo(TURN_MS);
    expect(grantedIn(holding(3), callers, { a: 3 })).toEqual({ a: 2 });
  });

  it.each([
    ['that has not come back in time', T0, 1],
    ['for up to a minute', T0 + 60_000, 0],
    ['whose time was set by a clock that was ahead', T0 + 60_001, 1],
  ])('keeps a turn of a caller elsewhere %s: until %i', (_what, waitsUntil, granted) => {
    const callers = [known('a', T0 - 1_000), known('elsewhere', T0 - 2_000, waitsUntil)];
    expect(round(holding(1), callers, { a: 1 }).granted.size).toBe(granted);
  });

  it('remembers who was served, and keeps the turn of who waits for two seconds more', () => {
    const served = round(holding(2), [], { a: 1, b: 1 }).callers;
    expect(
      served.map(({ caller, servedAt, waitsUntil }) => [caller, Math.floor(servedAt), waitsUntil]),
    ).toEqual([
      ['a', T0, 0],
      ['b', T0, 0],
    ]);
    const { callers, waitMs } = round(holding(0), [known('a', T0 - 500)], { a: 1 }, RULES);
    expect(callers).toEqual([known('a', T0 - 500, T0 + (waitMs.get('a') ?? 0) + 2_000)]);
    const long = round(holding(0), [], { a: 1 }, { maxRpm: 1, timeoutMs: 5_000 });
    expect(long.callers).toEqual([known('a', 0, T0 + 60_000)]);
  });

  it('forgets who has neither asked nor been served for ten minutes', () => {
    const callers = [
      known('old', T0 - 600_000),
      known('seen', T0 - 599_999),
      known('asked', 0, T0 - 599_999),
    ];
    expect(round(holding(0), callers, {}).callers.map(({ caller }) => caller)).toEqual(['seen', 'asked']);
  });

  it('takes one that was served in the future, by a clock that was put back, for a new one', () => {
    const served = (servedAt: number): Record<string, number> =>
      grantedIn(holding(1), [known('a', servedAt), known('b', T0)], { a: 1, b: 1 });
    expect([served(T0 + 2_000), served(T0 + 2_001)]).toEqual([{ b: 1 }, { a: 1 }]);
  });

  it('has one probe for a caller that is here while the circuit is open, and the others wait for the next one', () => {
    const open = openCircuit(holding(5), 'open', false, T0 - 1_000);
    const callers = [known('elsewhere', T0 - 2_000, T0 + 1_000), known('a', T0 - 1_000)];
    const probed = round(open, callers, { a: 3 });
    expect([...probed.granted]).toEqual([['a', 1]]);
    expect(probed).toMatchObject({ isProbe: true, callers });
    const later = round({ ...open, probeAt: T0 + 700 }, callers, { a: 3, b: 1 });
    expect([...later.waitMs]).toEqual([
      ['a', 700],
      ['b', 700],
    ]);
    expect([later.isProbe, later.granted.size]).toEqual([false, 0]);
  });
});
