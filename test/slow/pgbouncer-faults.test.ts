import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { serverUrl } from '../support/database.ts';
import { describeWith } from '../support/describe-with.ts';
import { PgBouncer, type PoolMode } from '../support/pgbouncer.ts';
import {
  arrivalsAt,
  firstArrivals,
  PLAIN_STORY,
  storyOf,
  waitForStories,
} from '../support/published-events.ts';
import { Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const STATUSES = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];
const PAYMENTS = 60;
/** In session mode each connection of a replica uses a connection of the server. */
const CONNECTIONS: Record<PoolMode, number> = { session: 40, transaction: 6 };
/** Counted from the moment at which the pooler serves again. */
const NEXT_EVENT_WITHIN_MS = 5_000;
const WITHIN_MS = 120_000;

let bouncer: PgBouncer;
afterEach(() => bouncer.stop());

async function open(mode: PoolMode, more: Record<string, number> = {}): Promise<Stage> {
  bouncer = await PgBouncer.start(serverUrl(), mode, CONNECTIONS[mode], more);
  return Stage.open();
}

function start(stage: Stage): Promise<AppProcess> {
  return stage.start({ DATABASE_URL: bouncer.urlOf(stage.database.directUrl) });
}

async function isReady(app: AppProcess): Promise<boolean> {
  return (await fetch(`${app.url}/health/ready`)).ok;
}

for (const mode of ['session', 'transaction'] as const)
  describeWith('pgbouncer', `PgBouncer in ${mode} mode`, () => {
    it(
      'is killed again and again under load: nothing is lost, and the next event comes within seconds',
      async () => {
        const stage = await open(mode);
        const apps = await Promise.all([start(stage), start(stage)]);
        await stage.addShop(apps[0]);
        const quoteIds = await stage.quotes(apps[0], PAYMENTS);
        const [early, late] = [quoteIds.slice(0, PAYMENTS / 2), quoteIds.slice(PAYMENTS / 2)];
        for (const [index, status] of STATUSES.entries()) {
          stage.say(early, status);
          await waitFor(async () => (await stage.at(early, status)).length > 0);
          await bouncer.kill();
          stage.say(late, status);
          for (const app of apps) await waitFor(async () => !(await isReady(app)));
          await bouncer.serve();
          const isNext = (event: { subject: string; type: string }): boolean =>
            event.type === PLAIN_STORY[index + 1] && late.includes(event.subject);
          await waitFor(() => arrivalsAt(stage.shop).some(isNext), {
            timeoutMs: NEXT_EVENT_WITHIN_MS,
            what: `the first ${status} that was not seen before`,
          });
          await waitFor(async () => (await stage.at(quoteIds, status)).length === PAYMENTS);
        }
        await waitForStories(() => arrivalsAt(stage.shop), quoteIds, PLAIN_STORY.length);
        expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf(quoteIds));
        for (const app of apps) expect(await app.stop()).toBe(0);
      },
      WITHIN_MS,
    );

    it(
      'closes connections that are not used: no request meets a closed one',
      async () => {
        const stage = await open(mode, { client_idle_timeout: 1 });
        const app = await start(stage);
        for (let round = 0; round < 6; round += 1) {
          const answers = await Promise.all(Array.from({ length: 8 }, () => app.fetch('/api/payments')));
          expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
          await sleep(1_500);
        }
        expect(await app.stop()).toBe(0);
      },
      WITHIN_MS,
    );
  });
