import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { Admission } from '../../src/domain/rate-limit/token-bucket.ts';
import type { ProviderRateLimit } from '../../src/ports/provider-rate-limit.ts';
import { POLLING_STAGES, type PollingStage } from '../support/polling-stages.ts';
import { openReplicas } from '../support/replicas.ts';
import type { TestDatabase } from '../support/database.ts';
import type { Stores } from '../support/stores.ts';

/** Allows a burst of 60, some of them for callers who wait, and a little less than 50 a second. */
const MAX_RPM = 3_000;
const BURST = 60;

function grants(admissions: readonly Admission[]): number[] {
  return admissions.map(({ granted }) => granted);
}

/** The promises of the port ProviderRateLimit, in memory and in PostgreSQL. */
describe.each(POLLING_STAGES)('the rate limit %s', (_name, open) => {
  let stage: PollingStage;
  let one: ProviderRateLimit;
  let two: ProviderRateLimit;
  /** One request in ten seconds. */
  let scarce: ProviderRateLimit;

  beforeAll(async () => {
    stage = await open();
    const replica = async (maxRpm: number) => (await stage.replica(maxRpm)).rateLimit;
    [one, two] = [await replica(MAX_RPM), await replica(MAX_RPM)];
    scarce = await replica(6);
  });
  /** A refused caller is refused again for a moment: each test has a caller of its own. */
  let caller: string;

  beforeEach(async () => {
    caller = `key ${randomUUID()}`;
    await stage.clear();
  });

  describe('the budget that two replicas share', () => {
    it('gives a small burst at once and no more, however many ask at the same time', async () => {
      const startedAt = stage.now().getTime();
      const asked = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : two).takeRequests(10));
      const total = grants(await Promise.all(asked)).reduce((sum, granted) => sum + granted, 0);
      const seconds = (stage.now().getTime() - startedAt) / 1_000;
      expect(total).toBeGreaterThan(BURST / 2);
      // Refills during the test are added.
      expect(total).toBeLessThanOrEqual(BURST + (MAX_RPM / 60) * seconds + 1);
      expect((await one.takeRequests(1_000)).waitMs).toBeGreaterThan(0);
    });

    it('has one for a caller who waits, or says when to come again', async () => {
      expect(await scarce.takeOne(caller)).toEqual({ isProbe: false });
      await expect(scarce.takeOne(caller)).rejects.toMatchObject({
        code: 'provider_unavailable',
        publicDetail: expect.stringMatching(
          /^The payment provider was not asked: busy, since .* are taken\. Try again in \d+ s\.$/,
        ),
        retryAfterMs: expect.any(Number),
      });
    });

    it('keeps some for callers who wait, however greedy the trackers are', async () => {
      await Promise.all([one.takeRequests(1_000), two.takeRequests(1_000), one.takeRequests(1_000)]);
      for (const rateLimit of [one, two, one])
        expect(await rateLimit.takeOne(caller)).toEqual({ isProbe: false });
    });

    it('is paid back what the provider was asked on top of it', async () => {
      const { rateLimit } = await stage.replica(MAX_RPM);
      expect((await rateLimit.takeRequests(10)).granted).toBe(10);
      await stage.pass(1_000);
      await rateLimit.charge(200);
      expect((await one.state()).rateLimit.tokens).toBeLessThan(0);
      expect((await two.takeRequests(1)).granted).toBe(0);
      await stage.pass(5_000);
      expect((await two.takeRequests(1)).granted).toBe(1);
    });
  });

  describe('a complaint', () => {
    it('halves the rate for all replicas at once, and a second one of the same burst changes nothing', async () => {
      await Promise.all([one.throttle(null), two.throttle(null)]);
      const { slowed } = (await two.state()).rateLimit;
      expect(slowed?.to).toBeCloseTo((slowed?.from ?? 0) / 2);
    });

    it('with a Retry-After stops everybody until then', async () => {
      await one.throttle(20_000);
      const { granted, waitMs } = await two.takeRequests(10);
      expect(granted).toBe(0);
      expect(waitMs).toBeGreaterThan(15_000);
      await expect(two.takeOne(caller)).rejects.toMatchObject({ code: 'provider_unavailable' });
      await stage.pass(20_000);
      expect((await two.takeRequests(1)).granted).toBe(1);
    });
  });

  describe('an open circuit', () => {
    it('lets one probe through, whoever asks, and the next one only later', async () => {
      await one.openCircuit('open', false);
      expect(grants(await Promise.all([one.takeRequests(10), two.takeRequests(10)]))).toEqual([0, 0]);
      await stage.pass(1_500);
      const asked = await Promise.all(
        [one, two, one, two, one, two].map((rateLimit) => rateLimit.takeRequests(10)),
      );
      expect(asked.filter(({ granted }) => granted > 0)).toEqual([{ granted: 1, isProbe: true, waitMs: 0 }]);
      expect((await two.takeRequests(1)).granted).toBe(0);
      await expect(two.takeOne(caller)).rejects.toMatchObject({ code: 'provider_unavailable' });
    });

    it('lets the probe be made by a caller who waits', async () => {
      await one.openCircuit('open', false);
      await stage.pass(1_500);
      expect(await two.takeOne(caller)).toEqual({ isProbe: true });
      expect((await one.takeRequests(1)).granted).toBe(0);
    });

    it('names a key that is not accepted', async () => {
      await one.openCircuit('credentials', false);
      await expect(two.takeOne(caller)).rejects.toMatchObject({ code: 'provider_credentials' });
    });
  });

  describe('the interval scale', () => {
    it('is what was set last, for all', async () => {
      expect((await one.state()).scale).toEqual([1, 1, 1, 1]);
      await one.setScale([1, 2.5, 9, 400]);
      expect((await two.state()).scale).toEqual([1, 2.5, 9, 400]);
    });
  });
});

describe('a provider without a limit', () => {
  let db: TestDatabase;
  let one: Stores;
  let two: Stores;

  beforeAll(async () => {
    ({ db, one, two } = await openReplicas());
  });

  /** The version of the shared row, which each write changes. */
  async function version(): Promise<unknown> {
    return db.query('SELECT ctid::text, xmin::text FROM provider_rate_limit');
  }

  it('serves callers without a write, and shares a circuit all the same', async () => {
    const before = await version();
    const callers = Array.from({ length: 20 }, (_, at) => `key ${at % 3}`);
    const served = await Promise.all(callers.map((caller) => one.rateLimit.takeOne(caller)));
    expect(served).toEqual(callers.map(() => ({ isProbe: false })));
    expect(await version()).toEqual(before);
    await two.rateLimit.openCircuit('open', false);
    const opened = await version();
    await expect(one.rateLimit.takeOne('key')).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(await version()).not.toEqual(before);
    await two.rateLimit.closeCircuit();
    expect(await version()).not.toEqual(opened);
  });
});
