import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { describeWith } from '../support/describe-with.ts';
import { onServer, serverUrl } from '../support/database.ts';
import { EventStream } from '../support/event-stream.ts';
import { PgBouncer } from '../support/pgbouncer.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const STATUSES = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];
const RESTARTS = 3;
const WITHIN_MS = 240_000;

for (const mode of ['session', 'transaction'] as const)
  describeWith('pgbouncer', `PgBouncer in ${mode} mode, with nothing else set`, () => {
    let bouncer: PgBouncer;
    let stage: Stage;

    beforeAll(async () => {
      // In session mode each connection of a replica uses a connection of the server.
      bouncer = await PgBouncer.start(serverUrl(), mode, mode === 'session' ? 40 : 6);
      stage = await Stage.open({ isEmpty: true });
    });
    afterAll(() => bouncer.stop());

    function start(): Promise<AppProcess> {
      return stage.start({ DATABASE_URL: bouncer.urlOf(stage.database.url), DATABASE_POOL_SIZE: '8' });
    }

    async function list(app: AppProcess, path: string): Promise<unknown[]> {
      return (await jsonOf(await app.fetch(path), 200))['data'] as unknown[];
    }

    it(
      'two replicas start on an empty database, do the whole job with lists, streams and replays, and restart',
      async () => {
        const [one, first] = await Promise.all([start(), start()]);
        let other = first;
        await stage.addShop(one);
        const headers = { 'x-api-key': other.apiKey };
        const stream = await EventStream.open(`${other.url}/api/events/stream`, headers);
        const quoteIds = await stage.quotes(one, 10);
        for (const status of STATUSES) {
          stage.say(quoteIds, status);
          await waitFor(async () => (await stage.at(quoteIds, status)).length === quoteIds.length);
        }
        await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 4);
        expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf(quoteIds));
        await waitFor(() => stream.events.length === 40);
        expect(await list(one, '/api/payments?limit=100')).toHaveLength(10);
        expect(await list(one, '/api/events?limit=100')).toHaveLength(40);
        expect(await list(one, '/api/webhook-deliveries?limit=100')).toHaveLength(40);
        const [endpoint] = (await list(one, '/api/webhook-endpoints')) as { id: string }[];
        const recover = `/api/webhook-endpoints/${endpoint?.id}/recover`;
        const replay = await one.fetch(recover, { method: 'POST', body: { since: '2026-01-01' } });
        expect(await jsonOf(replay, 200)).toMatchObject({ count: 0 });
        for (let restart = 0; restart < RESTARTS; restart += 1) {
          expect(await other.stop()).toBe(0);
          other = await start();
        }
        const more = await stage.quotes(other, 3);
        stage.say(more, 'COMPLETED');
        await waitForStories(() => arrivalsAt(stage.shop), more, 2);
        expect(await one.stop()).toBe(0);
        expect(await other.stop()).toBe(0);
        const left = await onServer(
          `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
         WHERE d.datname = $1 AND locktype = 'advisory'`,
          [stage.database.name],
        );
        expect(left).toEqual([]);
      },
      WITHIN_MS,
    );
  });
