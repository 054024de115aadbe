import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { AddressGuard } from '../../src/platform/outbound/address-guard.ts';
import { WebhookUrlCheck } from '../../src/destinations/webhook/webhook-url-check.ts';
import { EVENT_TYPES, type EventType } from '../../src/domain/event/event.ts';
import { Clock } from '../../src/ports/clock.ts';
import { WebhookEndpoints, type WebhookTarget } from '../../src/ports/webhook-endpoints.ts';
import { type TestAnswer, WebhookTester } from '../../src/ports/webhook-tester.ts';
import { WebhookUrls } from '../../src/ports/webhook-urls.ts';
import { EndpointActionsController } from '../../src/features/webhook-endpoints/endpoint-actions.controller.ts';
import { WebhookTestLimiter } from '../../src/features/webhook-endpoints/webhook-test-limiter.ts';
import { WebhookEndpointsSettings } from '../../src/features/webhook-endpoints/webhook-endpoints.settings.ts';
import { WebhookEndpointsController } from '../../src/features/webhook-endpoints/webhook-endpoints.controller.ts';
import { openReplicas } from '../support/replicas.ts';
import { endpointsOn, paymentToAdd, type Stores } from '../support/stores.ts';
import { FeatureApp } from '../support/feature-app.ts';
import { Replays } from '../../src/ports/replays.ts';
import { ReplaySignal } from '../../src/platform/scheduling/wake-signal.ts';
import { newSigningKey } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { ReplaysController } from '../../src/features/webhook-endpoints/replays.controller.ts';
import type { TestDatabase } from '../support/database.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const UNKNOWN = '3b241101-e2bb-4255-8caf-4136c566a962';

/** Keeps the tests that it was asked for, and gives all the same answer. */
class FakeWebhookTester extends WebhookTester {
  readonly tested: WebhookTarget[] = [];
  readonly answer = {
    delivered: false,
    httpStatus: 500,
    durationMs: 7,
    failure: 'status',
    code: 'HTTP_TO_TLS_PORT',
    body: 'no',
  } as const;

  readonly types: (EventType | null)[] = [];

  /** Until then an endpoint does not answer. */
  until: Promise<void> = Promise.resolve();

  async test(target: WebhookTarget, type: EventType | null): Promise<TestAnswer> {
    this.types.push(type);
    this.tested.push(target);
    await this.until;
    return this.answer;
  }
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describe('WebhookEndpointsController', () => {
  let endpoints: WebhookEndpoints;
  let stores: Stores;
  const tester = new FakeWebhookTester();
  const app = new FeatureApp();

  beforeAll(async () => {
    ({ one: stores } = await openReplicas());
    endpoints = endpointsOn(stores, { now: () => NOW });
    await app.start(
      [WebhookEndpointsController, EndpointActionsController],
      [
        { provide: Clock, useValue: { now: () => NOW } },
        { provide: WebhookTester, useValue: tester },
        WebhookTestLimiter,
        new WebhookEndpointsSettings(),
        new ReplaySignal(),
        { provide: Replays, useValue: stores.replays },
        { provide: WebhookEndpoints, useValue: endpoints },
        { provide: WebhookUrls, useValue: new WebhookUrlCheck(new AddressGuard([], false)) },
      ],
    );
  });
  afterAll(() => app.stop());

  async function send(method: string, path = '', body?: unknown): Promise<Answer> {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${app.url}/api/webhook-endpoints${path}`, { method, headers, ...init });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  }

  it('creates an endpoint for all types and shows its secret this once', async () => {
    const { status, body } = await send('POST', '', { url: 'https://shop.example/hook' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      url: 'https://shop.example/hook',
      eventTypes: [...EVENT_TYPES],
      description: null,
      enabled: true,
      disabledReason: null,
      signature: 'v1',
      publicKey: null,
      previousSecretExpiresAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      state: 'ok',
      refused: { payments: 0, since: null, examples: [] },
      circuit: 'closed',
      failingSince: null,
      nextProbeAt: null,
      problem: null,
      pending: 0,
      oldestPendingAt: null,
      unsent: { count: 0, isMore: false, since: null },
      lastDeliveredAt: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
    });
    const { secret, ...shown } = body;
    expect(await send('GET', `/${String(body['id'])}`)).toEqual({ status: 200, body: shown });
    const list = await send('GET');
    expect(list.body['data']).toContainEqual(shown);
    expect(JSON.stringify(list)).not.toContain(String(secret));
  });

  it.each([[[]], [null]])('takes eventTypes %j for all types', async (eventTypes) => {
    const { body } = await send('POST', '', { url: 'https://shop.example/', eventTypes, description: null });
    expect(body).toMatchObject({ eventTypes: [...EVENT_TYPES], description: null });
  });

  const A_URL = 'must be a URL: a string of 1 to 2048 characters';
  const TYPE_LIST = 'must be an array of event types, each at most once: payment.created, ';
  it.each([
    [{}, 'url', A_URL],
    [{ url: 7 }, 'url', A_URL],
    [{ url: null }, 'url', A_URL],
    [{ url: `https://shop.example/${'x'.repeat(2_048)}` }, 'url', A_URL],
    [{ url: 'https://127.1/' }, 'url', 'WEBHOOK_ALLOWED_CIDRS'],
    [{ eventTypes: 'payment.completed' }, 'eventTypes', TYPE_LIST],
    [{ eventTypes: ['payment.paid'] }, 'eventTypes', ''],
    [{ eventTypes: ['payment.failed', 'payment.failed'] }, 'eventTypes', TYPE_LIST],
    [{ eventTypes: { length: 0 } }, 'eventTypes', TYPE_LIST],
    [{ eventTypes: [['payment.failed']] }, 'eventTypes', TYPE_LIST],
    [{ description: 'x'.repeat(501) }, 'description', 'must be a string of up to 500 char'],
    [{ description: {} }, 'description', 'must be a string of up to 500 char'],
  ])(
    'says of %j what the field must be, and nothing else, and stores nothing',
    async (asked, field, message) => {
      const before = (await endpoints.list()).length;
      const { body } = await send(
        'POST',
        '',
        field === 'url' ? asked : { url: 'https://shop.example/', ...asked },
      );
      expect(body).toMatchObject({ code: 'invalid_request' });
      expect(body['errors']).toEqual([{ field, message: expect.stringContaining(message) }]);
      expect(await endpoints.list()).toHaveLength(before);
    },
  );

  it('deletes an endpoint once', async () => {
    const { body } = await send('POST', '', { url: 'https://shop.example/' });
    const path = `/${String(body['id'])}`;
    expect(await send('DELETE', path)).toEqual({ status: 204, body: {} });
    expect((await send('DELETE', path)).body['code']).toBe('unknown_webhook_endpoint');
    expect((await send('GET', path)).body['code']).toBe('unknown_webhook_endpoint');
  });

  it.each([UNKNOWN, '7', 'x%27%3B--', '..%2f..%2fetc'])('knows no endpoint %s', async (id) => {
    expect((await send('GET', `/${id}`)).body['code']).toBe('unknown_webhook_endpoint');
    expect((await send('DELETE', `/${id}`)).body['code']).toBe('unknown_webhook_endpoint');
    expect((await send('PATCH', `/${id}`, {})).body['code']).toBe('unknown_webhook_endpoint');
    expect((await send('POST', `/${id}/test`)).body['code']).toBe('unknown_webhook_endpoint');
    expect((await send('POST', `/${id}/rotate-secret`)).body['code']).toBe('unknown_webhook_endpoint');
  });

  async function add(asked: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { body } = await send('POST', '', { url: 'https://shop.example/hook', ...asked });
    return body;
  }

  it('makes an endpoint with a key pair, shows the public key and never the private one', async () => {
    const { secret, ...shown } = await add({ signature: 'v1a' });
    expect(secret).toBeNull();
    expect(shown).toMatchObject({
      signature: 'v1a',
      publicKey: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
    });
    expect((await send('GET', `/${String(shown['id'])}`)).body).toEqual(shown);
    expect(JSON.stringify(await send('GET'))).not.toContain('whsk_');
  });

  it.each(['v2', '', 1, ['v1a']])('takes no signature %j', async (signature) => {
    expect((await add({ signature }))['errors']).toEqual([
      { field: 'signature', message: 'must be one of: v1, v1a' },
    ]);
  });

  it('changes only what is named', async () => {
    const { secret: _secret, ...before } = await add({ eventTypes: ['payment.failed'], description: 'EU' });
    const path = `/${String(before['id'])}`;
    expect((await send('PATCH', path, {})).body).toEqual(before);
    const changes = {
      url: 'https://shop.example/other',
      eventTypes: ['payment.completed'],
      description: 'US',
    };
    expect((await send('PATCH', path, changes)).body).toEqual({ ...before, ...changes });
    const all = await send('PATCH', path, { eventTypes: null, description: null });
    expect(all.body).toMatchObject({ ...changes, eventTypes: [...EVENT_TYPES], description: null });
    expect(await send('GET', path)).toEqual(all);
  });

  it('disables and enables', async () => {
    const path = `/${String((await add())['id'])}`;
    const off = { enabled: false, disabledReason: 'by request' };
    expect((await send('PATCH', path, { enabled: false })).body).toMatchObject(off);
    expect((await send('PATCH', path, { description: 'x' })).body).toMatchObject(off);
    const on = await send('PATCH', path, { enabled: true });
    expect(on.body).toMatchObject({ enabled: true, disabledReason: null });
  });

  it('counts what an endpoint was not sent while it was disabled, and sends it on enabling if asked to', async () => {
    const path = `/${String((await add())['id'])}`;
    await send('PATCH', path, { enabled: false });
    for (let event = 0; event < 2; event += 1) await stores.payments.add(paymentToAdd(randomUUID()));
    const unsent = { count: 2, isMore: false, since: expect.any(String) };
    expect((await send('GET', path)).body).toMatchObject({ unsent, pending: 0 });
    expect((await send('PATCH', path, { enabled: true })).body).toMatchObject({ unsent, pending: 0 });
    const { body } = await send('PATCH', path, { enabled: true, recover: true });
    expect(body['recovery']).toMatchObject({ count: 2, exact: true, state: 'running' });
    await stores.replays.runBatch();
    const none = { count: 0, isMore: false, since: null };
    expect((await send('GET', path)).body).toMatchObject({ unsent: none, pending: 2 });
  });

  it('enables, and has a recovery that is running send what was not sent, without a second one', async () => {
    const path = `/${String((await add())['id'])}`;
    await stores.payments.add(paymentToAdd(randomUUID()));
    const running = await stores.replays.start(path.slice(1), new Date(SINCE));
    await send('PATCH', path, { enabled: false });
    await stores.payments.add(paymentToAdd(randomUUID()));
    const { status, body } = await send('PATCH', path, { enabled: true, recover: true });
    expect([status, body['enabled'], body['recovery']]).toEqual([
      200,
      true,
      expect.objectContaining({ id: running?.id, state: 'running' }),
    ]);
    while ((await stores.replays.runBatch()) !== null);
    expect((await send('GET', path)).body).toMatchObject({
      unsent: { count: 0 },
      pending: expect.any(Number),
    });
    expect(await stores.replays.list(path.slice(1), 10)).toEqual([
      expect.objectContaining({ id: running?.id, state: 'done', exact: true }),
    ]);
  });

  it.each([
    ['url', { url: null }],
    ['url', { url: 'https://127.0.0.1/' }],
    ['eventTypes', { eventTypes: ['payment.paid'] }],
    ['description', { description: 7 }],
    ['enabled', { enabled: null }],
    ['enabled', { enabled: 'false' }],
    ['recover', { enabled: true, recover: 'yes' }],
    ['recover', { recover: true }],
    ['recover', { enabled: false, recover: true }],
    ['signature', { signature: 'v1a' }],
    ['secret', { secret: 'whsec_mine', enabled: false }],
    ['enable', { enable: false }],
    ['eventtypes', { eventtypes: [], enabled: false }],
    ['__proto__', JSON.parse('{"__proto__": 1}') as object],
    ['body', []],
  ])('names %s as the field at fault of the change %j and changes nothing', async (field, changes) => {
    const { secret: _secret, ...before } = await add();
    const path = `/${String(before['id'])}`;
    const { body } = await send('PATCH', path, changes);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ field }] });
    expect((await send('GET', path)).body).toEqual(before);
  });

  it('rotates a secret: shows the new one, and until when the former signs too', async () => {
    const { id, secret } = await add();
    const { status, body } = await send('POST', `/${String(id)}/rotate-secret`);
    expect(status).toBe(200);
    expect(body).toEqual({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
      publicKey: null,
      previousSecretExpiresAt: '2026-11-21T12:00:00.000Z',
    });
    expect((await endpoints.target(String(id)))?.secrets).toEqual([body['secret'], secret]);
  });

  it('rotates a key pair: shows the new public key', async () => {
    const { id, publicKey } = await add({ signature: 'v1a' });
    const { body } = await send('POST', `/${String(id)}/rotate-secret`);
    expect(body).toMatchObject({ secret: null, publicKey: expect.stringMatching(/^whpk_/) });
    expect(body['publicKey']).not.toBe(publicKey);
    expect((await send('GET', `/${String(id)}`)).body['publicKey']).toBe(body['publicKey']);
    expect(JSON.stringify(body)).not.toContain('whsk_');
  });

  it('tests an endpoint, a disabled one too, and answers with what it answered', async () => {
    const { id, url, secret } = await add();
    await send('PATCH', `/${String(id)}`, { enabled: false });
    expect(await send('POST', `/${String(id)}/test`)).toEqual({
      status: 200,
      body: { ...tester.answer, advice: expect.stringMatching(/https/) },
    });
    expect(tester.tested).toEqual([{ id, url, description: null, secrets: [secret] }]);
    await send('POST', `/${String(id)}/test`, { type: 'payment.completed' });
    await send('POST', `/${String(id)}/test`, { type: 'webhook.test' });
    expect(tester.types).toEqual([null, 'payment.completed', null]);
    for (const body of [{ type: 'payment.paid' }, { type: null }, { typ: 'payment.failed' }]) {
      const { status, body: refusal } = await send('POST', `/${String(id)}/test`, body);
      expect([status, refusal['errors']]).toMatchObject([400, [{ field: Object.keys(body)[0] }]]);
    }
    expect(tester.types).toHaveLength(3);
  });

  it('has five tests under way for a key, and a sixth once one has ended', async () => {
    const { id } = await add();
    const path = `/${String(id)}/test`;
    let end = (): void => undefined;
    tester.until = new Promise((resolve) => (end = resolve));
    const before = tester.tested.length;
    const tests = Array.from({ length: 5 }, () => send('POST', path));
    await waitFor(() => tester.tested.length === before + 5);
    const { status, headers } = await fetch(`${app.url}/api/webhook-endpoints${path}`, { method: 'POST' });
    expect([status, headers.get('retry-after')]).toEqual([429, '5']);
    end();
    expect((await Promise.all(tests)).map((test) => test.status)).toEqual([200, 200, 200, 200, 200]);
    expect((await send('POST', path)).status).toBe(200);
  });
});

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
      recoveryId: first.json.id,
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
