import { beforeAll, describe, expect, it } from '@jest/globals';

import { AppProcess } from '../support/app-process.ts';
import { Stage } from '../support/stage.ts';
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
  });

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
    await waitFor(() => polls().every((times) => times.length > ROUNDS));
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

  it('end with status 0 when they are stopped', async () => {
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0]);
  });
});
