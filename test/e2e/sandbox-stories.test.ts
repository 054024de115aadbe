import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { quoteRequest } from '../support/provider-objects.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { readStories, type PublishedStory } from '../support/story-table.ts';
import { arrivalsAt, wordOf } from '../support/published-events.ts';
import { waitFor } from '../support/wait-for.ts';

const USUAL_POLLING = { POLL_INTERVAL_MS: '7000', POLL_MIN_GAP_MS: '5000' };
/** Fast enough for a test; the polling runs as much faster as the stories. */
const SANDBOX = { PROVIDER: 'sandbox', SANDBOX_SPEED: '20', ...USUAL_POLLING };
const LONGEST_MS = 120_000;
const START_MS = 90_000;
/** Nobody waits for what comes more than a quarter of an hour after the stall: the end of an hour's execution. */
const TOLD_SOON_S = 1_800;
const STORIES = (await readStories()).map(({ amount, words, seconds }): PublishedStory => ({
  amount,
  words: words.filter((_word, index) => (seconds[index] ?? 0) < TOLD_SOON_S),
  seconds,
}));

function toldOf(stage: Stage, quoteId: string): string {
  return arrivalsAt(stage.shop)
    .filter(({ subject }) => subject === quoteId)
    .map(wordOf)
    .join(', ');
}

/** A Paybell in its sandbox, with a shop that is told of each of these stories. */
async function notify(stories: readonly PublishedStory[], settings: Record<string, string>) {
  const stage = await Stage.open();
  const app = await stage.start({ ...SANDBOX, ...settings });
  await stage.addShop(app);
  const ids = await Promise.all(stories.map(({ amount }) => stage.quote(app, { amount })));
  return { stage, app, ids };
}

/** Exactly these events, in this order, without a gap. */
async function expectTold(
  stage: Stage,
  app: AppProcess,
  id: string,
  { words }: PublishedStory,
): Promise<void> {
  await stage.published(app, id, words, LONGEST_MS);
}

describe.each([
  ['by two replicas, as often as usual', {}, 2],
  ['every 40 s of its time', { POLL_INTERVAL_MS: '40000' }, 1],
])('the stories of the sandbox at the highest speed, polled %s', (_how, polling, replicas) => {
  const settings = { SANDBOX_SPEED: '50', ...polling };
  let published: Awaited<ReturnType<typeof notify>>;

  beforeAll(async () => {
    published = await notify(STORIES, settings);
    if (replicas > 1) await published.stage.start({ ...SANDBOX, ...settings });
  }, START_MS);

  it.each(STORIES.map((story, index) => ({ index, ...story })))(
    '$amount: $words',
    async ({ index, ...story }) =>
      expectTold(published.stage, published.app, published.ids[index] ?? '', story),
    LONGEST_MS + 5_000,
  );
});

describe('the stories of the sandbox', () => {
  it(
    'skip nothing when Paybell is killed in the middle of them, and end where they end',
    async () => {
      // On a busy machine the restarts alone take longer than a stall: that is told elsewhere.
      const patient = { STALLED_AFTER_SECONDS: '86400' };
      const stories = STORIES.filter(({ words }) => !words.includes('stalled no_progress'));
      const { stage, ids, ...first } = await notify(stories, patient);
      let { app } = first;
      for (let kills = 0; kills < 3; kills += 1) {
        await sleep(1_000);
        await app.kill9();
        app = await stage.start({ ...SANDBOX, ...patient });
      }
      for (const [index, story] of stories.entries()) await expectTold(stage, app, ids[index] ?? '', story);
      const shown = async (digits: string) => {
        const index = stories.findIndex(({ amount }) => amount === `1.${digits}`);
        return jsonOf(await app.fetch(`/api/payments/${ids[index] ?? ''}`), 200);
      };
      expect(await shown('50')).toMatchObject({ status: 'COMPLETED', tracking: 'closed', late: false });
      expect(await shown('01')).toMatchObject({
        status: 'FAILED',
        tracking: 'watching',
        report: { error: expect.any(String) },
      });
      expect(await shown('02')).toMatchObject({ status: 'EXPIRED', tracking: 'watching' });
      expect(await shown('03')).toMatchObject({ status: 'COMPLETED', tracking: 'closed', late: true });
      const note = ((await shown('50'))['quote'] as { depositNote: string }).depositNote;
      expect(note).toMatch(/^SANDBOX - do not send funds\./);
      expect(stage.provider.requests).toHaveLength(0);
    },
    LONGEST_MS + 30_000,
  );
});

describe('the payer', () => {
  it('is the tester with SANDBOX_AUTOPAY=false', async () => {
    const stage = await Stage.open();
    const app = await stage.start({ ...SANDBOX, SANDBOX_SPEED: '50', SANDBOX_AUTOPAY: 'false' });
    await stage.addShop(app);
    const [quoteId, other] = [await stage.quote(app, { amount: '1.05' }), await stage.quote(app)];
    const pay = (id: string, headers = {}) =>
      app.fetch(`/sandbox/payments/${id}/deposit`, { method: 'POST', headers });
    expect((await pay(quoteId, { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await pay(crypto.randomUUID())).status).toBe(404);
    expect(toldOf(stage, quoteId)).toMatch(/^(created)?$/);
    expect(await jsonOf(await pay(quoteId), 200)).toMatchObject({ quoteId });
    await waitFor(() => toldOf(stage, quoteId) === 'created, completed');
    await waitFor(() => toldOf(stage, other) === 'created, expired');
  });

  it('is nobody of ours in http mode: the deposit endpoint is not there', async () => {
    const stage = await Stage.open();
    const app = await stage.start();
    const quoteId = await stage.quote(app);
    const answer = await app.fetch(`/sandbox/payments/${quoteId}/deposit`, { method: 'POST' });
    expect(await jsonOf(answer, 404)).toMatchObject({ code: 'not_found' });
  });
});

describe('a Paybell in front of a sandbox Paybell', () => {
  it('speaks the spec on both sides', async () => {
    const [behind, before] = [await Stage.open(), await Stage.open()];
    const sandbox = await behind.start({ ...SANDBOX, SANDBOX_SPEED: '40' });
    const upstream = {
      PROVIDER_BASE_URL: sandbox.url,
      PROVIDER_API_KEY: sandbox.apiKey,
      PROVIDER_AUTH: 'bearer',
    };
    const app = await before.start(upstream);
    await before.addShop(app);
    const search = { method: 'POST', body: { term: 'USDC', chainIds: [1, 8453] } };
    for (const ask of [
      (at: AppProcess) => at.fetch('/api/chains'),
      (at: AppProcess) => at.fetch('/api/currencies', search),
    ])
      expect(await (await ask(app)).text()).toBe(await (await ask(sandbox)).text());
    const fails = await before.quote(app, { amount: '0.01', orderId: 'ours' });
    const goes = await before.quote(app, { amount: '0.05' });
    const unlike = await app.fetch('/api/quote', {
      method: 'POST',
      body: quoteRequest({ toToken: '0xnone' }),
    });
    expect([400, 404, 422]).toContain(unlike.status);
    await waitFor(
      () => toldOf(before, fails).endsWith(' failed') && toldOf(before, goes).endsWith(' completed'),
    );
    const [shown, upstreamShown] = await Promise.all(
      [app, sandbox].map(async (at) => jsonOf(await at.fetch(`/api/payments/${goes}`), 200)),
    );
    expect(shown?.['report']).toEqual(upstreamShown?.['report']);
    expect(shown?.['quote']).toEqual(upstreamShown?.['quote']);
    expect(await jsonOf(await sandbox.fetch(`/api/payments/${fails}`), 200)).toMatchObject({ orderId: null });
  });
});
