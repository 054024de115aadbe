import { readdirSync, readFileSync } from 'node:fs';

import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { CorrectedClock } from '../../src/platform/process/corrected-clock.ts';
import { VirtualClock } from '../../tools/simulation/virtual-clock.ts';

const T0 = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR_MS = 3_600_000;

let timers: VirtualClock;
/** The machine's clock minus the database's. */
let skewMs: number;
let clock: CorrectedClock;
let warnings: ReturnType<typeof jest.spyOn>;
let news: ReturnType<typeof jest.spyOn>;

beforeEach(() => {
  warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  news = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
  timers = new VirtualClock();
  skewMs = 0;
  clock = new CorrectedClock(timers, () => T0 + timers.now + skewMs);
});

afterEach(() => void jest.restoreAllMocks());

/** A statement that begins now, with this share of its way after the database read its clock. */
function measure(roundTripMs = 2, backShare = 0.5): void {
  const askedAt = timers.now;
  timers.runUntil(askedAt);
  pass(roundTripMs);
  clock.measured(T0 + timers.now - roundTripMs * backShare, askedAt);
}

function pass(ms: number): void {
  timers.at(timers.now + ms, () => undefined);
  timers.runUntil(timers.now + ms);
}

const errorMs = (): number => clock.now().getTime() - (T0 + timers.now);

describe('the corrected clock', () => {
  it("is the machine's before it was measured, and says nothing of a skew", () => {
    skewMs = HOUR_MS;
    expect([errorMs(), clock.skewMs, clock.health()]).toEqual([HOUR_MS, null, { status: 'ok' }]);
  });

  it.each([-HOUR_MS, -600_000, 600_000, HOUR_MS])(
    'goes by the database when the machine is %d ms off',
    (off) => {
      skewMs = off;
      measure();
      expect(errorMs()).toBe(0);
      expect(clock.skewMs).toBeCloseTo(off, -1);
    },
  );

  it("goes on when the machine's clock is set, there and back", () => {
    measure();
    for (const off of [HOUR_MS, 0, -HOUR_MS, 0]) {
      skewMs = off;
      pass(1_000);
      expect(errorMs()).toBe(0);
      expect(clock.skewMs).toBeCloseTo(off, -1);
    }
  });

  it('is never further off than half of the shortest round trip, however slow the others are', () => {
    const answer = fc.record({
      roundTripMs: fc.integer({ min: 1, max: 30_000 }),
      backShare: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 20 }), (answers) => {
        timers = new VirtualClock();
        clock = new CorrectedClock(timers, () => T0 + timers.now);
        for (const { roundTripMs, backShare } of answers) {
          measure(roundTripMs, backShare);
          const least = clock.earliestMs(timers.now) ?? 0;
          expect(least).toBeLessThanOrEqual(T0 + timers.now + 0.001);
        }
        const shortest = Math.min(...answers.map(({ roundTripMs }) => roundTripMs));
        const drifted = timers.now * 0.001;
        expect(Math.abs(errorMs())).toBeLessThanOrEqual(shortest / 2 + drifted + 1);
        expect(clock.skewMs).toBeCloseTo(0, 3);
      }),
    );
  });

  it('follows the database at once when that has another clock than before, as after a failover', () => {
    measure();
    const askedAt = timers.now;
    pass(2);
    clock.measured(T0 - 60_000 + timers.now, askedAt);
    expect(errorMs()).toBeCloseTo(-60_000, -1);
  });
});

describe('a skew', () => {
  it('is logged above 5 s, once for each change, and when it is over', () => {
    const measured = (off: number): void => {
      skewMs = off;
      measure();
    };
    for (const off of [0, 4_900, -4_900, 0]) measured(off);
    expect(warnings.mock.calls).toEqual([]);
    for (const off of [600_000, 600_100, 599_000, 603_000]) measured(off);
    expect(warnings.mock.calls).toEqual([
      [
        "this machine's clock is 600 s ahead of the database's: Paybell goes by the database's clock; set this machine's by NTP",
      ],
    ]);
    measured(-HOUR_MS);
    expect(warnings.mock.calls).toHaveLength(2);
    expect(warnings.mock.lastCall?.[0]).toContain("clock is 3600 s behind the database's");
    for (const off of [0, 0, 4_000]) measured(off);
    expect([warnings.mock.calls.length, news.mock.calls.length]).toEqual([2, 1]);
  });

  it.each([
    [29_000, 'ok'],
    [-29_000, 'ok'],
    [31_000, 'degraded'],
    [-31_000, 'degraded'],
  ])('of %d ms is %s in the health', (off, status) => {
    skewMs = off;
    measure();
    expect(clock.health().status).toBe(status);
  });

  it('is not supposed where a slow answer explains the difference', () => {
    skewMs = 15_000;
    measure(40_000, 0.5);
    expect([clock.skewMs, warnings.mock.calls.length]).toEqual([0, 0]);
  });
});

/** Times that are not judged by: the file system's, and those of commands, which have no database. */
const MACHINE_TIME: Readonly<Record<string, number>> = {
  'platform/process/corrected-clock.ts': 1,
  // Since when a broker is away or refuses.
  'destinations/rabbitmq/broker-connection.ts': 2,
  'destinations/rabbitmq/reconnecting-connection.ts': 2,
  'destinations/rabbitmq/warned-types.ts': 1,
  'platform/embedded-postgres/staging-folder.ts': 1,
  'cli/doctor/database.ts': 1,
  'cli/listen/forwarder.ts': 1,
  'cli/output/option-values.ts': 1,
  'cli/provider/chainflip-check.ts': 3,
  'cli/provider/oneclick-asking.ts': 1,
  'cli/provider/oneclick-trials.ts': 1,
  'cli/provider/relay-reads.ts': 1,
};

it("is the only way to the time: nothing else of the service asks for the machine's", () => {
  const found: Record<string, number> = {};
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const uses = readFileSync(`src/${file}`, 'utf8').match(/\bDate\.now\b|\bnew Date\(\)/g);
    if (uses !== null) found[file] = uses.length;
  }
  expect(found).toEqual(MACHINE_TIME);
});
