import { describe, expect, it } from '@jest/globals';

import { jsonOf, Stage } from '../support/stage.ts';
import { providerOutages } from '../support/suites/provider-outages.ts';
import { passed, TrackingScene } from '../support/tracking-scene.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const OUTAGE_MS = 5_000;

providerOutages([['answers 500', (stage) => stage.provider.fail({ status: 500 })]], OUTAGE_MS);

describe('a key that is refused', () => {
  it('stops all polling but probes, is said by readiness, and polling resumes by itself', async () => {
    const scene = await TrackingScene.open(10);
    const { stage, requests, quoteIds } = scene;
    stage.provider.fail({ status: 401 });
    await scene.awaitHealth(/^degraded it does not accept our key; only probes go out/);
    const stoppedAt = Date.now();
    await passed(stoppedAt, OUTAGE_MS);
    expect(requests.count(stoppedAt + 1_500)).toBeLessThanOrEqual(4);
    const asked = await scene.apps[0].fetch(`/api/payments/${quoteIds[0]}/refresh`, { method: 'POST' });
    expect(await jsonOf(asked, 502)).toMatchObject({ code: 'provider_credentials' });
    stage.provider.recover();
    await scene.awaitHealth(/^ok/);
    await scene.rounds(2);
    expect(await scene.toldOfAll()).toEqual(quoteIds.map(() => ['created']));
    await scene.close();
  }, 60_000);
});

describe('a circuit that is open while nothing is due', () => {
  it('is tried by whoever asks next, and closes', async () => {
    const stage = await Stage.open();
    const app = await stage.start();
    await stage.quotes(app, 3);
    stage.provider.fail({ status: 401 });
    const ask = (quoteId: string): Promise<Response> => app.fetch(`/api/status/${quoteId}`);
    await waitFor(() => app.lines.some((line) => line.includes('circuit is open')), { timeoutMs: 15_000 });
    await stage.database.query(`UPDATE payment_schedule SET due_at = now() + interval '1 hour'`);
    await jsonOf(await ask('elsewhere'), 502);
    const quoteId = stage.provider.addQuote();
    stage.provider.recover();
    await waitFor(async () => (await ask(quoteId)).status === 200, { timeoutMs: 15_000 });
    await waitFor(async () => {
      const { checks } = await jsonOf(await app.fetch('/health/ready'), 200);
      return (checks as { provider: { status: string } }).provider.status === 'ok';
    });
    expect(await app.stop()).toBe(0);
  }, 60_000);
});
