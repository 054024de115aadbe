import { describe, expect, it } from '@jest/globals';

import { passed, TrackingScene } from '../support/tracking-scene.ts';
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
});
