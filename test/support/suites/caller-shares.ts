import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { ProviderRateLimit } from '../../../src/ports/provider-rate-limit.ts';
import { openDataSource } from '../data-source.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { storesOn } from '../stores.ts';

/** How scarce requests are, and how long callers flood. */
export interface CallerSharesScale {
  readonly maxRpm: number;
  readonly floodMs: number;
  readonly calmEveryMs: number;
}

/** How callers share the requests of a provider: what does not depend on the time passes at every scale. */
export function callerShares({ maxRpm, floodMs, calmEveryMs }: CallerSharesScale): void {
  /** What callers get of it a second. */
  const callersPerS = (maxRpm / 60) * 0.47;
  /** More than are served before the longest wait. */
  const newcomers = Math.round(callersPerS * 21.3);

  let db: TestDatabase;
  let one: ProviderRateLimit;

  beforeAll(async () => {
    db = await createTestDatabase();
    one = storesOn(await openDataSource(db), { maxRpm: maxRpm }).rateLimit;
  });
  afterAll(() => db.drop());
  beforeEach(() => db.query(`UPDATE provider_rate_limit SET tokens = 0, urgent = 0, refilled_at = 0`));

  /** Asks without a break, as 50 clients that take no refusal for an answer. */
  async function flood(rateLimit: ProviderRateLimit, caller: string, untilAt: number): Promise<number> {
    let taken = 0;
    const client = async (): Promise<void> => {
      while (performance.now() < untilAt) {
        await rateLimit.takeOne(caller).then(
          () => (taken += 1),
          () => undefined,
        );
        await sleep(20);
      }
    };
    await Promise.all(Array.from({ length: 50 }, client));
    return taken;
  }

  /** Asks now and then; answers how long each request took, or null for a refusal. */
  async function calm(
    rateLimit: ProviderRateLimit,
    caller: string,
    untilAt: number,
  ): Promise<(number | null)[]> {
    const asked: Promise<number | null>[] = [];
    while (performance.now() < untilAt) {
      const at = performance.now();
      asked.push(
        rateLimit.takeOne(caller).then(
          () => performance.now() - at,
          () => null,
        ),
      );
      await sleep(calmEveryMs);
    }
    return Promise.all(asked);
  }

  describe('scarce requests that two API keys ask for', () => {
    it('go to the calm one whatever the other floods', async () => {
      const untilAt = performance.now() + floodMs;
      const [taken, waits] = await Promise.all([
        flood(one, 'key flood', untilAt),
        calm(one, 'key calm', untilAt),
      ]);
      const served = waits.filter((wait) => wait !== null);
      expect(served.length).toBeGreaterThanOrEqual(0.95 * waits.length);
      expect(Math.max(...served)).toBeLessThan(2_000);
      // What the calm one leaves is the other's.
      expect(taken).toBeGreaterThan((callersPerS - 1_000 / calmEveryMs) * (floodMs / 1_000) * 0.6);
    });

    it('are all for one that is alone', async () => {
      const taken = await flood(one, 'key one', performance.now() + floodMs);
      expect(taken).toBeGreaterThan(callersPerS * (floodMs / 1_000) * 0.85);
    });

    it('are refused to those who would wait in vain, each at a time of its own', async () => {
      const asked = await Promise.allSettled(Array.from({ length: newcomers }, () => one.takeOne('key new')));
      const published = asked.flatMap((each) =>
        each.status === 'rejected' ? [(each.reason as { retryAfterMs: number }).retryAfterMs] : [],
      );
      expect(published.length).toBeGreaterThan(newcomers / 2);
      expect(Math.min(...published)).toBeGreaterThan(4_000);
      // As long as it takes until all of them have had theirs.
      expect(Math.max(...published)).toBeGreaterThan((0.8 * newcomers * 1_000) / callersPerS);
      expect(new Set(published).size).toBe(published.length);
    });
  });
}
