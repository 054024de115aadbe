import { describe, expect, it } from '@jest/globals';

import { AppProcess } from '../support/app-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { quoteRequest } from '../support/provider-objects.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../support/wait-for.ts';

const INTERVAL_MS = 1_000;
const ROUNDS = 4;
/** Contract §7: a dead replica's work is taken over within 30 s. */
const TAKEN_OVER_MS = 30_000;
const STATUSES = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];

/** Both at once on a database where nothing is yet. */
async function startTwo(stage: Stage, more: Record<string, string> = {}): Promise<[AppProcess, AppProcess]> {
  const env = stage.env(more);
  const [one, other] = await Promise.all([AppProcess.start(env), AppProcess.start(env)]);
  await Promise.all([one.waitReady(), other.waitReady()]);
  return [one, other];
}

function recordedBy(app: AppProcess, quoteIds: readonly string[]): number {
  return quoteIds.filter((id) => app.lines.some((line) => line.includes(`${id}: payment.`))).length;
}

describe('two replicas on one database', () => {
  it('start at once on an empty one: the schema is made once, and both serve', async () => {
    const stage = await Stage.open({ isEmpty: true });
    const apps = await startTwo(stage);
    const made = apps.map((app) => app.lines.filter((line) => line.includes('schema was brought up')).length);
    expect(made.filter((count) => count > 0)).toHaveLength(1);
    for (const app of apps) await stage.quote(app);
    expect(await stage.countPayments()).toBe(2);
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0]);
  });

  it('share the work: each payment polled once an interval, each change told once', async () => {
    const stage = await Stage.open();
    const apps = await startTwo(stage, { POLL_INTERVAL_MS: String(INTERVAL_MS) });
    await stage.addShop(apps[0]);
    const quoteIds = [...(await stage.quotes(apps[0], 20)), ...(await stage.quotes(apps[1], 20))];
    const polls = (): number[][] => quoteIds.map((id) => stage.provider.calls.polls(id));
    await waitFor(() => polls().every((times) => times.length > ROUNDS), { timeoutMs: 15_000 });
    const gaps = polls().flatMap((times) => times.slice(1).map((time, index) => time - (times[index] ?? 0)));
    expect(Math.min(...gaps)).toBeGreaterThan(INTERVAL_MS / 2);
    const average = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    expect(average).toBeGreaterThan(INTERVAL_MS * 0.95);
    for (const [index, status] of STATUSES.entries()) {
      stage.say(quoteIds, status);
      await waitForStories(() => arrivalsAt(stage.shop), quoteIds, index + 2);
    }
    expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf(quoteIds));
    for (const app of apps) expect(recordedBy(app, quoteIds)).toBeGreaterThan(0);
  });

  it('make one quote of one Idempotency-Key, whichever of them is asked, at once and later', async () => {
    const stage = await Stage.open();
    const [one, other] = await startTwo(stage);
    stage.provider.slowDown(300);
    const request = { method: 'POST', body: quoteRequest(), headers: { 'idempotency-key': 'order-1' } };
    const answers = await Promise.all(
      [one, other, one, other].map((app) => app.fetch('/api/quote', request)),
    );
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(new Set(texts).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') === 'true')).toHaveLength(3);
    expect(await (await other.fetch('/api/quote', request)).text()).toBe(texts[0]);
    expect(stage.provider.calls.count('/api/quote')).toBe(1);
    expect(await stage.countPayments()).toBe(1);
  });

  it('take over what a killed one had claimed and leased, within 30 s at the usual time-outs', async () => {
    const stage = await Stage.open();
    const usual = { PROVIDER_TIMEOUT_MS: '5000', WEBHOOK_TIMEOUT_MS: '15000' };
    const doomed = await stage.start(usual);
    await stage.addShop(doomed);
    const quoteIds = await stage.quotes(doomed, 10);
    const [delivering = '', polled = ''] = quoteIds;
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 1);
    stage.shop.answer((request) => (request.text.includes('DEPOSIT_RECEIVED') ? 'hang' : { status: 204 }));
    stage.say([delivering], 'DEPOSIT_RECEIVED');
    await stage.shop.waitFor(({ text }) => text.includes('DEPOSIT_RECEIVED'));
    stage.provider.fail('hang', polled);
    const asked = stage.provider.calls.polls(polled).length;
    await waitFor(() => stage.provider.calls.polls(polled).length > asked);
    await doomed.kill9();
    const killedAt = Date.now();
    stage.provider.recover();
    stage.shop.answer(() => ({ status: 204 }));
    stage.say(quoteIds, 'EXECUTING');
    const heir = await stage.start(usual);
    stage.say([delivering], 'EXECUTING');
    const count = (id: string): number => (id === delivering ? 3 : 2);
    for (const id of quoteIds) {
      await waitForStories(() => arrivalsAt(stage.shop), [id], count(id), TAKEN_OVER_MS);
    }
    expect(Date.now() - killedAt).toBeLessThan(TAKEN_OVER_MS);
    const { sequence } = await jsonOf(await heir.fetch(`/api/payments/${delivering}`), 200);
    expect(sequence).toBe(3);
    const ids = arrivalsAt(stage.shop).filter(({ data }) => data.status === 'DEPOSIT_RECEIVED');
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
  }, 60_000);
});
