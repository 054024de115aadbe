import { describe, expect, it } from '@jest/globals';

import { INTERVAL_MS, MIN_ARRIVAL_GAP_MS, TrackingScene } from '../support/tracking-scene.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

describe('payments that fail alone', () => {
  it('back off alone, are published as stalled once, and the others are polled as ever', async () => {
    const scene = await TrackingScene.open(12, { STALLED_AFTER_SECONDS: '4' });
    const { stage, requests, quoteIds } = scene;
    const [missing = '', unreadable = '', broken = '', ...others] = quoteIds;
    const bad = [missing, unreadable, broken];
    stage.provider.fail({ status: 404, body: '{"success":false,"error":"no such quote"}' }, missing);
    stage.provider.fail({ status: 200, body: '<html>' }, unreadable);
    stage.provider.fail({ status: 500 }, broken);
    const failedAt = Date.now();
    const silent = ['created', 'stalled provider_silent'];
    const isReported = async (): Promise<boolean> =>
      (await Promise.all(bad.map((id) => scene.published(id)))).every(
        (published) => published.length === silent.length,
      );
    await waitFor(isReported, { timeoutMs: 25_000 });
    const seconds = (Date.now() - failedAt) / 1_000;
    for (const id of bad) {
      expect(requests.gaps(id, failedAt).length).toBeLessThanOrEqual(6);
      expect(Math.max(...requests.gaps(id, failedAt))).toBeGreaterThan(1.8 * INTERVAL_MS);
      expect(await scene.published(id)).toEqual(silent);
    }
    for (const id of others) {
      expect(requests.gaps(id, failedAt).length).toBeGreaterThan(0.6 * seconds);
      expect(await scene.published(id)).toEqual(['created']);
    }
    expect((await scene.healths()).filter((health) => /only probes/.test(health))).toEqual([]);
    stage.say(bad, 'EXECUTING');
    stage.provider.recover();
    await scene.awaitStatus('EXECUTING', bad);
    await scene.close();
  }, 90_000);
});

describe('a provider that answers just within the time-out', () => {
  it('is never asked twice at once about a payment, and nothing that it says is lost', async () => {
    const ANSWER_MS = 1_500;
    const scene = await TrackingScene.open(10, { PROVIDER_TIMEOUT_MS: '2000' });
    const { stage, requests, apps, quoteIds } = scene;
    stage.provider.slowDown(ANSWER_MS);
    const slowAt = Date.now();
    for (const status of ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED']) {
      stage.say(quoteIds, status);
      await Promise.all(quoteIds.map((id) => apps[0].fetch(`/api/status/${id}`)));
      await scene.awaitStatus(status);
    }
    const story = ['created', 'deposit_received', 'executing', 'completed'];
    expect(await scene.toldOfAll()).toEqual(quoteIds.map(() => story));
    expect(requests.shortestGap(quoteIds)).toBeGreaterThanOrEqual(MIN_ARRIVAL_GAP_MS);
    // The leases have to learn how slow it has become.
    const learntAt = slowAt + 2 * ANSWER_MS;
    expect(requests.shortestGap(quoteIds, learntAt)).toBeGreaterThanOrEqual(ANSWER_MS * 0.8);
    expect(await scene.healths()).toEqual(['ok', 'ok']);
    await scene.close();
  }, 90_000);
});
