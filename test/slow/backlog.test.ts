import { describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { StatusRequests } from '../support/status-requests.ts';
import { INTERVAL_MS, MIN_ARRIVAL_GAP_MS, passed, TrackingScene } from '../support/tracking-scene.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** Three of each call that a person waits for, all at once; how long each took. */
async function callersOf(stage: Stage, app: AppProcess, refreshed: readonly string[]): Promise<number[]> {
  const timed = async (path: string, status: number, body?: object): Promise<number> => {
    const startedAt = performance.now();
    const init = body === undefined ? {} : { method: 'POST', body };
    await jsonOf(await app.fetch(path, init), status);
    return performance.now() - startedAt;
  };
  const quoted = await stage.quotes(app, refreshed.length);
  return Promise.all(
    refreshed.flatMap((quoteId, index) => [
      timed(`/api/status/${stage.provider.addQuote()}`, 200),
      timed('/api/payments', 201, { quoteId: stage.provider.addQuote() }),
      timed(`/api/status/${quoted[index] ?? ''}`, 200),
      timed(`/api/payments/${quoteId}/refresh`, 200, {}),
    ]),
  );
}

describe('a downtime of Paybell', () => {
  it('leaves a backlog that is spread over an interval, not fired, without any limit set', async () => {
    const [INTERVAL, GAP] = [2_000, 1_000];
    const stage = await Stage.open();
    const settings = { POLL_INTERVAL_MS: String(INTERVAL), POLL_MIN_GAP_MS: String(GAP) };
    const requests = new StatusRequests(stage.provider);
    const doomed = await stage.start(settings);
    const quoteIds: string[] = [];
    for (let batch = 0; batch < 10; batch += 1) quoteIds.push(...(await stage.quotes(doomed, 30)));
    await waitFor(() => requests.isRound(quoteIds, 0), { timeoutMs: 20_000 });
    await doomed.kill9();
    await passed(Date.now(), 3 * INTERVAL);
    stage.say(quoteIds, 'EXECUTING');
    const startedAt = Date.now();
    const heir = await stage.start(settings);
    await waitFor(() => requests.isRound(quoteIds, startedAt), { timeoutMs: 20_000 });
    const polls = quoteIds.map((id) => stage.provider.calls.polls(id).find((at) => at >= startedAt) ?? 0);
    expect(requests.busiest(100, startedAt)).toBeLessThanOrEqual(quoteIds.length / 4);
    expect(Math.max(...polls) - Math.min(...polls)).toBeLessThan(3 * INTERVAL);
    expect(requests.shortestGap(quoteIds)).toBeGreaterThanOrEqual(GAP * 0.75);
    await waitFor(async () => (await stage.at(quoteIds, 'EXECUTING')).length === quoteIds.length);
    await heir.stop();
  }, 90_000);

  it('leaves no backlog that a person waits behind: adoptions, first polls and refreshes go beside it', async () => {
    const stage = await Stage.open();
    const settings = { POLL_INTERVAL_MS: '2000', POLL_MIN_GAP_MS: '1000' };
    const doomed = await stage.start(settings);
    const quoteIds = await stage.quotes(doomed, 6);
    const requests = new StatusRequests(stage.provider);
    await waitFor(() => requests.isRound(quoteIds, 0), { timeoutMs: 20_000 });
    await doomed.kill9();
    await passed(Date.now(), 6_000);
    const heir = await stage.start(settings);
    await waitFor(() => heir.lines.some((line) => line.includes('s behind')), { what: 'a backlog' });
    const waitedMs = await callersOf(stage, heir, quoteIds.slice(3));
    expect(Math.max(...waitedMs)).toBeLessThan(2_000);
    const [rateLimit] = await stage.database.query<{ is_spread: boolean }>(
      `SELECT slowed_cause = 'backlog' AS is_spread FROM provider_rate_limit`,
    );
    expect(rateLimit?.is_spread).toBe(true);
    await heir.stop();
  }, 60_000);
});

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
    // Answers above half the time-out are said, and open no circuit.
    for (const health of await scene.healths()) expect(health).toMatch(/^degraded its answers take 1\.\d s$/);
    await scene.close();
  }, 90_000);
});
