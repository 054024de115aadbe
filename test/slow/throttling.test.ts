import { describe, expect, it } from '@jest/globals';

import { MIN_ARRIVAL_GAP_MS, passed, TrackingScene } from '../support/tracking-scene.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

describe('a provider that asks for fewer requests', () => {
  it.each([429, 503])(
    'by %d with a Retry-After is asked nothing before, by neither replica',
    async (status) => {
      const scene = await TrackingScene.open(20);
      const { stage, requests, quoteIds } = scene;
      stage.provider.fail({ status, headers: { 'retry-after': '5' } });
      const failedAt = Date.now();
      await waitFor(() => requests.count(failedAt) > 3);
      stage.provider.recover();
      const askedAt = Date.now();
      await passed(askedAt, 5_000);
      // The other replica may learn of it a second later.
      expect(requests.count(askedAt + 1_500, askedAt + 4_800)).toBe(0);
      await waitFor(() => requests.isRound(quoteIds, askedAt + 1_500), { timeoutMs: 20_000 });
      expect(await scene.toldOfAll()).toEqual(quoteIds.map(() => ['created']));
      await scene.close();
    },
    60_000,
  );

  it('gets half as many at once, then step by step more, and no payment is charged for it', async () => {
    const scene = await TrackingScene.open(40);
    const { stage, requests } = scene;
    const usualFrom = Date.now();
    await passed(usualFrom, 3_000);
    const usual = requests.count(usualFrom) / 3;
    stage.provider.failNext({ status: 429 }, 2);
    const askedAt = Date.now();
    await scene.awaitHealth(/^degraded it has asked for fewer requests/);
    await passed(askedAt, 5_500);
    const slowed = requests.count(askedAt + 1_500, askedAt + 5_500) / 4;
    expect(slowed).toBeLessThan(usual * 0.75);
    expect(slowed).toBeGreaterThan(usual * 0.2);
    expect(await scene.charged()).toBe(0);
    const lately = (): number => requests.count(Date.now() - 4_000) / 4;
    await waitFor(() => lately() > slowed * 1.15, { timeoutMs: 40_000, what: 'a rate that grows again' });
    expect(requests.shortestGap(scene.quoteIds)).toBeGreaterThanOrEqual(MIN_ARRIVAL_GAP_MS);
    expect(scene.linesLike(/asked for fewer requests/).length).toBeGreaterThan(0);
    await scene.close();
  }, 70_000);
});
