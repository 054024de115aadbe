import { describe, expect, it } from '@jest/globals';

import type { Stage } from '../support/stage.ts';
import {
  INTERVAL_MS,
  MIN_ARRIVAL_GAP_MS,
  passed,
  PROVIDER_TIMEOUT_MS,
  TrackingScene,
} from '../support/tracking-scene.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const OUTAGE_MS = 5_000;
const ONLY_PROBES = /^degraded .*only probes go out/;

describe.each<[what: string, breakIt: (stage: Stage) => Promise<void> | void]>([
  ['refuses connections', (stage) => stage.provider.down()],
  ['never answers', (stage) => stage.provider.fail('hang')],
  ['answers 500', (stage) => stage.provider.fail({ status: 500 })],
])('a provider that %s', (_what, breakIt) => {
  it('is left in peace but for probes; then everything is asked again, spread, and every missed change is published', async () => {
    const scene = await TrackingScene.open(30);
    const { stage, requests, quoteIds } = scene;
    const pollsBefore = await scene.pollRequests();
    await breakIt(stage);
    await scene.awaitHealth(ONLY_PROBES);
    const openAt = Date.now();
    await passed(openAt, PROVIDER_TIMEOUT_MS); // Requests in flight are counted when they end.
    const pollsTillOpen = (await scene.pollRequests()) - pollsBefore;
    expect(pollsTillOpen).toBeLessThanOrEqual(2 * quoteIds.length);
    await passed(openAt, OUTAGE_MS);
    const probes = (await scene.pollRequests()) - pollsBefore - pollsTillOpen;
    expect(probes).toBeGreaterThanOrEqual(1);
    expect(probes).toBeLessThanOrEqual(4);

    stage.say(quoteIds, 'DEPOSIT_RECEIVED');
    await stage.provider.up();
    stage.provider.recover();
    const wellAt = Date.now();
    await waitFor(() => requests.isRound(quoteIds, wellAt));
    const polls = scene.firstPolls(wellAt);
    expect(Math.max(...polls) - Math.min(...polls)).toBeLessThan(3 * INTERVAL_MS);
    expect(requests.busiest(INTERVAL_MS / 10, wellAt)).toBeLessThanOrEqual(quoteIds.length / 2);
    await scene.awaitStatus('DEPOSIT_RECEIVED');
    expect(await scene.toldOfAll()).toEqual(quoteIds.map(() => ['created', 'deposit_received']));
    await scene.awaitHealth(/^ok/);
    expect(await scene.charged()).toBe(0);
    for (const words of [/circuit is open/, /circuit is closed/])
      expect(scene.linesLike(words).length).toBeGreaterThan(0);
    expect(requests.shortestGap(quoteIds)).toBeGreaterThanOrEqual(MIN_ARRIVAL_GAP_MS);
    await scene.close();
  });
});
