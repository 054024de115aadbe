import { beforeAll, describe, expect, it } from '@jest/globals';

import { AppProcess } from '../support/app-process.ts';
import { Browser } from '../support/browser.ts';
import { Stage } from '../support/stage.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const INTERVAL_MS = 1_000;
const ROUNDS = 4;
const STATUSES = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];

function recordedBy(app: AppProcess, quoteIds: readonly string[]): number {
  return quoteIds.filter((id) => app.lines.some((line) => line.includes(`${id}: payment.`))).length;
}

describe('two replicas on one database', () => {
  let stage: Stage;
  let apps: [AppProcess, AppProcess];

  /** Starts both at once on an empty database. */
  beforeAll(async () => {
    stage = await Stage.open({ isEmpty: true });
    const env = stage.env({ POLL_INTERVAL_MS: String(INTERVAL_MS), LOG_LEVEL: 'debug' });
    apps = await Promise.all([AppProcess.start(env), AppProcess.start(env)]);
    await Promise.all(apps.map((app) => app.waitReady()));
  }, 60_000);

  it('start at once on an empty one: the schema is made once, and both serve', async () => {
    const made = apps.map((app) => app.lines.filter((line) => line.includes('schema was brought up')).length);
    expect(made.filter((count) => count > 0)).toHaveLength(1);
    for (const app of apps) await stage.quote(app);
    expect(await stage.countPayments()).toBe(2);
  });

  it('share the work: each payment polled once an interval, each change published once', async () => {
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

  it('share sessions: one of either is known to the other at once, and so is its end', async () => {
    const [one, other] = apps;
    const [browser, second] = [new Browser(one.url), new Browser(other.url)];
    const at = async (app: AppProcess, token: string): Promise<number> => {
      const sent = { cookie: `paybell_session=${token}` };
      return (await new Browser(app.url, sent).get('/api/whoami')).status;
    };
    await Promise.all([browser.signIn(one.apiKey), second.signIn(other.apiKey)]);
    const tokens = [browser.cookie(), second.cookie()];
    for (const token of tokens)
      expect(await Promise.all([at(one, token), at(other, token)])).toEqual([200, 200]);
    await browser.post('/dashboard/sign-out', { everywhere: 'true' });
    for (const token of tokens)
      expect(await Promise.all([at(one, token), at(other, token)])).toEqual([401, 401]);
  });

  it('make one quote of one Idempotency-Key, whichever of them is asked, at once and later', async () => {
    const [one, other] = apps;
    const [made, stored] = [stage.provider.calls.count('/api/quote'), await stage.countPayments()];
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
    expect(stage.provider.calls.count('/api/quote')).toBe(made + 1);
    expect(await stage.countPayments()).toBe(stored + 1);
    stage.provider.slowDown(0);
  });

  it('end with status 0 when they are stopped', async () => {
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0]);
  });
});
