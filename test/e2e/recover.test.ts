import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

/** Adds payments with the same four events, as if they had been published long ago. */
const FILL = [
  `INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
     report_digest, stalls, contradictions)
   SELECT 'http', 'published-' || i, 'COMPLETED', false, 4, 'closed', now(), now(), now(), '', '', '{}', '{}'
   FROM generate_series(1, 1500) i`,
  `INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
   SELECT e.id, e.payment_id, e.n, 'payment.updated', now(), json_build_object('id', e.id, 'type', 'payment.updated',
     'subject', e.quote_id, 'data', json_build_object('quoteId', e.quote_id, 'sequence', e.n))
   FROM (SELECT gen_random_uuid() AS id, p.id AS payment_id, p.quote_id, n FROM generate_series(1, 4) n, payment p WHERE p.quote_id LIKE 'published-%') e
   ORDER BY e.n, e.payment_id`,
];
const FEW_TRIES = { WEBHOOK_RETRY_SCHEDULE: '100ms,100ms' };
const REPORTED = Array.from({ length: 1_500 }, (_none, index) => `published-${index + 1}`);

async function endpoints(app: SharedService): Promise<{ id: string }[]> {
  const { data } = await jsonOf(await app.fetch('/api/webhook-endpoints'), 200);
  return data as { id: string }[];
}

async function endpointId(app: SharedService): Promise<string> {
  return String((await endpoints(app))[0]?.id);
}

async function recover(app: SharedService, id: string, body: Json, status = 200): Promise<Json> {
  const answer = await app.fetch(`/api/webhook-endpoints/${id}/recover`, { method: 'POST', body });
  return jsonOf(answer, status);
}

async function progressOf(app: SharedService, { endpointId: of, id }: Json): Promise<Json> {
  return jsonOf(await app.fetch(`/api/webhook-endpoints/${String(of)}/recoveries/${String(id)}`), 200);
}

async function cancel(app: SharedService, { endpointId: of, id }: Json): Promise<Json> {
  const path = `/api/webhook-endpoints/${String(of)}/recoveries/${String(id)}/cancel`;
  return jsonOf(await app.fetch(path, { method: 'POST' }), 200);
}

async function written(stage: Stage): Promise<unknown> {
  return stage.database.query(
    `SELECT (SELECT count(*)::int FROM event_replay) AS recoveries,
       (SELECT json_agg(d ORDER BY d.id) FROM delivery d) AS deliveries`,
  );
}

describe('recover', () => {
  let stage: Stage;
  let app: SharedService;
  beforeAll(async () => {
    stage = await Stage.open();
    // Only nine failures: the tenth in a row would open the circuit.
    app = await stage.startWarm(FEW_TRIES);
  });

  it('brings all that a shop missed while it was down and while it was disabled, in order; dryRun writes nothing', async () => {
    const since = new Date(Date.now() - 1_000).toISOString();
    stage.shop.answer(() => ({ status: 500 }));
    await stage.addShop(app);
    const id = await endpointId(app);
    const quoteIds = await stage.quotes(app, 3);
    await waitFor(async () => {
      const failed = await stage.database.query(`SELECT 1 FROM delivery WHERE state = 'failed'`);
      return failed.length === 3;
    });
    const enable = (enabled: boolean): Promise<Response> =>
      app.fetch(`/api/webhook-endpoints/${id}`, { method: 'PATCH', body: { enabled } });
    await enable(false);
    for (const status of ['DEPOSIT_RECEIVED', 'EXECUTING']) {
      stage.say(quoteIds, status);
      await waitFor(async () => (await stage.at(quoteIds, status)).length === 3);
    }
    expect(await recover(app, id, { since }, 409)).toMatchObject({ code: 'webhook_endpoint_disabled' });
    const before = await written(stage);
    expect(await recover(app, id, { since, dryRun: true })).toMatchObject({ count: 9, id: null });
    expect(await written(stage)).toEqual(before);

    stage.shop.answer(() => ({ status: 204 }));
    await enable(true);
    const downtime = stage.shop.requests.length;
    const started = await recover(app, id, { since });
    expect(started).toMatchObject({ count: 9, since, endpointId: id });
    await waitFor(async () => (await progressOf(app, started))['state'] === 'done');
    stage.say(quoteIds, 'COMPLETED');
    const arrivals = (): ReturnType<typeof arrivalsAt> => arrivalsAt(stage.shop).slice(downtime);
    await waitForStories(arrivals, quoteIds, 4);
    expect(firstArrivals(arrivals())).toEqual(storyOf(quoteIds));
    expect(arrivals()).toHaveLength(12);
    expect(await progressOf(app, started)).toMatchObject({ state: 'done', count: 9, done: 9 });
    expect(await recover(app, id, { since })).toMatchObject({ count: 0, state: 'done' });
  });

  it('goes on after a kill -9 in its middle and is cancelled, and the next one brings every event that is left', async () => {
    for (const { id } of await endpoints(app))
      await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
    const since = new Date().toISOString();
    for (const statement of FILL) await stage.database.query(statement);
    const { length: before } = stage.shop.requests;
    await stage.addShop(app);
    const id = await endpointId(app);
    const started = await recover(app, id, { since });
    expect(started).toMatchObject({ count: 6_000, done: 0, state: 'running', finishedAt: null });
    await waitFor(async () => Number((await progressOf(app, started))['done']) >= 1_000, { everyMs: 5 });
    await app.kill9();
    const [left] = await stage.database.query<Json>('SELECT state, done FROM event_replay WHERE id = $1', [
      started['id'],
    ]);
    expect(left).toMatchObject({ state: 'running' });
    expect(Number(left?.['done'])).toBeLessThan(6_000);

    app = await stage.startWarm(FEW_TRIES);
    const cancelled = await cancel(app, started);
    expect(cancelled).toMatchObject({ state: 'stopped', finishedAt: expect.any(String) });
    expect(await cancel(app, started)).toEqual(await progressOf(app, started));
    const rest = await recover(app, id, { since });
    await waitFor(async () => (await progressOf(app, rest))['state'] === 'done');
    expect(await progressOf(app, started)).toEqual(cancelled);
    // The receiver shares this process: the test reads its events once it has all.
    const owed = (): Promise<Json[]> =>
      stage.database.query<Json>(
        `SELECT state, count(*)::int, count(DISTINCT event_position)::int AS events FROM delivery WHERE destination_id = $1 GROUP BY state`,
        [id],
      );
    const all = [{ state: 'delivered', count: 6_000, events: 6_000 }];
    await waitFor(async () => (await owed()).length === 1 && (await owed())[0]?.['state'] === 'delivered', {
      timeoutMs: 90_000,
      everyMs: 250,
    });
    expect(await owed()).toEqual(all);
    expect(firstArrivals(arrivalsAt(stage.shop).slice(before))).toEqual(
      storyOf(REPORTED, Array<string>(4).fill('payment.updated')),
    );
    expect(await app.stop()).toBe(0);
  });
});
