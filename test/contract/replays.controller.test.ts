import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { WebhookEndpoints } from '../../src/ports/webhook-endpoints.ts';
import { Replays } from '../../src/ports/replays.ts';
import { ReplaySignal } from '../../src/platform/scheduling/wake-signal.ts';
import { newSigningKey } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { ReplaysController } from '../../src/features/webhook-endpoints/replays.controller.ts';
import type { TestDatabase } from '../support/database.ts';
import { FeatureApp } from '../support/feature-app.ts';
import { openReplicas } from '../support/replicas.ts';
import { endpointsOn, paymentToAdd, type Stores } from '../support/stores.ts';

const UNKNOWN = '3b241101-e2bb-4255-8caf-4136c566a962';
const SINCE = '2020-11-20T12:00:00.000Z';
/** The number of events that every endpoint has missed. */
const MISSED = 3;

describe('ReplaysController', () => {
  let db: TestDatabase;
  let stores: Stores;
  let endpoints: WebhookEndpoints;
  const wakeSignal = new ReplaySignal();
  const app = new FeatureApp();

  beforeAll(async () => {
    ({ db, one: stores } = await openReplicas());
    endpoints = endpointsOn(stores);
    for (let event = 0; event < MISSED; event += 1) await stores.payments.add(paymentToAdd(randomUUID()));
    await app.start(ReplaysController, [
      wakeSignal,
      { provide: Replays, useValue: stores.replays },
      { provide: WebhookEndpoints, useValue: endpoints },
    ]);
  });
  afterAll(() => app.stop());

  async function endpoint(): Promise<string> {
    const asked = { url: 'https://shop.example/', eventTypes: [], description: null };
    return (await endpoints.create(asked, newSigningKey('v1'))).id;
  }

  async function started(): Promise<number> {
    return (await db.query('SELECT 1 FROM event_replay')).length;
  }

  const pathOf = (id: string): string => `/api/webhook-endpoints/${id}`;

  it('starts a recovery, wakes the work and shows how far it is', async () => {
    const id = await endpoint();
    const { status, json } = await app.post(`${pathOf(id)}/recover`, { since: '2020-11-20T13:00:00+01:00' });
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.any(String),
      endpointId: id,
      since: SINCE,
      state: 'running',
      count: MISSED,
      exact: true,
      done: 0,
      createdAt: expect.stringMatching(/Z$/),
      finishedAt: null,
    });
    const woken = performance.now();
    await wakeSignal.wait(60_000, AbortSignal.timeout(60_000));
    expect(performance.now() - woken).toBeLessThan(10_000);
    expect((await app.get(`${pathOf(id)}/recoveries`)).json).toEqual({ data: [json] });
    expect((await app.get(`${pathOf(id)}/recoveries/${json.id}`)).json).toEqual(json);
  });

  it('only counts with dryRun, for a disabled endpoint too', async () => {
    const id = await endpoint();
    await endpoints.disable(id, 'by request');
    const before = await started();
    const { status, json } = await app.post(`${pathOf(id)}/recover`, { since: '2020-11-20', dryRun: true });
    expect([status, json]).toEqual([
      200,
      {
        id: null,
        endpointId: id,
        since: '2020-11-20T00:00:00.000Z',
        state: null,
        count: MISSED,
        exact: true,
        done: 0,
        createdAt: null,
        finishedAt: null,
      },
    ]);
    expect(await started()).toBe(before);
  });

  it('refuses a second one and names the first; only counting is answered', async () => {
    const id = await endpoint();
    const first = await app.post(`${pathOf(id)}/recover`, { since: SINCE });
    const { status, json } = await app.post(`${pathOf(id)}/recover`, { since: SINCE });
    expect(status).toBe(409);
    expect(json).toMatchObject({
      code: 'recovery_running',
      replayId: first.json.id,
      detail: expect.stringContaining(first.json.id),
    });
    expect((await app.post(`${pathOf(id)}/recover`, { since: SINCE, dryRun: true })).status).toBe(200);
  });

  it('refuses a disabled endpoint and says what to do', async () => {
    const id = await endpoint();
    await endpoints.disable(id, 'by request');
    const before = await started();
    const { status, json } = await app.post(`${pathOf(id)}/recover`, { since: SINCE, dryRun: false });
    expect(status).toBe(409);
    expect(json).toMatchObject({
      code: 'webhook_endpoint_disabled',
      detail: expect.stringContaining('enable it first'),
    });
    expect(await started()).toBe(before);
  });

  it.each([
    ['since', {}],
    ['since', { since: null }],
    ['since', { since: '' }],
    ['since', { since: 1_795_000_000 }],
    ['since', { since: 'yesterday' }],
    ['since', { since: '2026-11-20T12:00:00' }],
    ['since', { since: '2026-02-30' }],
    ['since', { since: ['2026-11-20'] }],
    ['dryRun', { since: SINCE, dryRun: 'true' }],
    ['dryRun', { since: SINCE, dryRun: null }],
    ['dryrun', { since: SINCE, dryrun: true }],
    ['until', { since: SINCE, until: SINCE }],
    ['body', []],
  ])('names %s as the field at fault of %j and starts nothing', async (field, body) => {
    const id = await endpoint();
    const before = await started();
    const { status, json } = await app.post(`${pathOf(id)}/recover`, body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'invalid_request', errors: [{ field }] });
    expect(await started()).toBe(before);
  });

  it.each([UNKNOWN, '7', 'x%27'])('knows no endpoint %s', async (id) => {
    const answers = [
      await app.post(`${pathOf(id)}/recover`, { since: SINCE }),
      await app.post(`${pathOf(id)}/recover`, { since: SINCE, dryRun: true }),
      await app.get(`${pathOf(id)}/recoveries`),
      await app.get(`${pathOf(id)}/recoveries/${UNKNOWN}`),
    ];
    for (const { status, json } of answers)
      expect([status, json.code]).toEqual([404, 'unknown_webhook_endpoint']);
  });

  it.each([UNKNOWN, '7', 'x%27'])('knows no recovery %s, nor that of another endpoint', async (replayId) => {
    const id = await endpoint();
    const { json } = await app.post(`${pathOf(await endpoint())}/recover`, { since: SINCE });
    for (const other of [replayId, json.id]) {
      const answer = await app.get(`${pathOf(id)}/recoveries/${other}`);
      expect([answer.status, answer.json.code]).toEqual([404, 'unknown_recovery']);
    }
  });

  it('lists at most 100', async () => {
    const id = await endpoint();
    await db.query(
      `INSERT INTO event_replay (id, destination_id, since, state, event_count, cursor_position, until_position, created_at)
       SELECT gen_random_uuid(), $1, $2, 'done', 0, 0, 0, $2::timestamptz + n * interval '1 second'
       FROM generate_series(1, 100) AS n`,
      [id, SINCE],
    );
    const newest = await app.post(`${pathOf(id)}/recover`, { since: SINCE });
    const { json } = await app.get(`${pathOf(id)}/recoveries`);
    expect(json.data).toHaveLength(100);
    expect(json.data[0].id).toBe(newest.json.id);
  });
});
