import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Catch, type ArgumentsHost, type ExceptionFilter, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';

import { AddressGuard } from '../../src/platform/outbound/address-guard.ts';
import { WebhookUrlCheck } from '../../src/destinations/webhook/webhook-url-check.ts';
import { EVENT_TYPES } from '../../src/domain/event/event.ts';
import { Clock } from '../../src/ports/clock.ts';
import { WebhookEndpoints, type WebhookTarget } from '../../src/ports/webhook-endpoints.ts';
import type { EventType } from '../../src/domain/event/event.ts';
import { WebhookTester, type TestAnswer } from '../../src/ports/webhook-tester.ts';
import { WebhookUrls } from '../../src/ports/webhook-urls.ts';
import { EndpointActionsController } from '../../src/features/webhook-endpoints/endpoint-actions.controller.ts';
import { WebhookTestLimiter } from '../../src/features/webhook-endpoints/webhook-test-limiter.ts';
import { WebhookEndpointsSettings } from '../../src/features/webhook-endpoints/webhook-endpoints.settings.ts';
import { WebhookEndpointsController } from '../../src/features/webhook-endpoints/webhook-endpoints.controller.ts';
import { openReplicas } from '../support/replicas.ts';
import { endpointsOn } from '../support/stores.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const UNKNOWN = '3b241101-e2bb-4255-8caf-4136c566a962';

/** The slice alone: codes and fields as they are thrown, before the problem filter puts statuses to them. */
@Catch()
class BareFilter implements ExceptionFilter {
  catch(error: { code?: string; errors?: unknown }, host: ArgumentsHost): void {
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { json(body: unknown): void } }>();
    response.status(418).json({ code: error.code, errors: error.errors });
  }
}

/** Keeps what was to be tested and answers the same to all. */
class FakeWebhookTester extends WebhookTester {
  readonly tested: WebhookTarget[] = [];
  readonly answer = {
    delivered: false,
    httpStatus: 500,
    durationMs: 7,
    failure: 'status',
    body: 'no',
  } as const;

  readonly types: (EventType | null)[] = [];

  async test(target: WebhookTarget, type: EventType | null): Promise<TestAnswer> {
    this.types.push(type);
    this.tested.push(target);
    return this.answer;
  }
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describe('WebhookEndpointsController', () => {
  let app: INestApplication;
  let base: string;
  let endpoints: WebhookEndpoints;
  const tester = new FakeWebhookTester();

  beforeAll(async () => {
    const { one } = await openReplicas();
    endpoints = endpointsOn(one, { now: () => NOW });
    const testing = await Test.createTestingModule({
      controllers: [WebhookEndpointsController, EndpointActionsController],
      providers: [
        { provide: Clock, useValue: { now: () => NOW } },
        { provide: WebhookTester, useValue: tester },
        WebhookTestLimiter,
        { provide: WebhookEndpointsSettings, useValue: new WebhookEndpointsSettings() },
        { provide: WebhookEndpoints, useValue: endpoints },
        { provide: WebhookUrls, useValue: new WebhookUrlCheck(new AddressGuard([], false)) },
      ],
    }).compile();
    app = testing.createNestApplication({ logger: false });
    app.useGlobalFilters(new BareFilter());
    await app.listen(0, '127.0.0.1');
    base = `${await app.getUrl()}/api/webhook-endpoints`;
  });
  afterAll(() => app.close());

  async function send(method: string, path = '', body?: unknown): Promise<Answer> {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(base + path, { method, headers, ...init });
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
      lastDeliveredAt: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
    });
    const { secret, ...shown } = body;
    expect(await send('GET', `/${String(body['id'])}`)).toEqual({ status: 200, body: shown });
    const list = await send('GET');
    expect(list.body['data']).toContainEqual(shown);
    expect(JSON.stringify(list)).not.toContain(String(secret));
  });

  it('keeps the types and the description that were asked', async () => {
    const asked = { url: 'https://shop.example/', eventTypes: ['payment.completed'], description: 'EU shop' };
    expect((await send('POST', '', asked)).body).toMatchObject(asked);
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
    [{ url: 'nonsense' }, 'url', ''],
    [{ url: 'ftp://shop.example/' }, 'url', ''],
    [{ url: 'http://shop.example/' }, 'url', ''],
    [{ url: 'https://user:pass@shop.example/' }, 'url', ''],
    [{ url: 'https://127.1/' }, 'url', ''],
    [{ url: 'https://localhost/' }, 'url', ''],
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

  it('says how a refused address can be allowed', async () => {
    const { body } = await send('POST', '', { url: 'https://10.0.0.1/' });
    expect(JSON.stringify(body['errors'])).toContain('WEBHOOK_ALLOWED_CIDRS');
  });

  it('deletes an endpoint once', async () => {
    const { body } = await send('POST', '', { url: 'https://shop.example/' });
    const path = `/${String(body['id'])}`;
    expect(await send('DELETE', path)).toEqual({ status: 204, body: {} });
    expect((await send('DELETE', path)).body['code']).toBe('unknown_webhook_endpoint');
    expect((await send('GET', path)).body['code']).toBe('unknown_webhook_endpoint');
  });

  it.each([UNKNOWN, '7', 'x%27%3B--', '..%2f..%2fetc', '%00'])('knows no endpoint %s', async (id) => {
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

  it.each([
    ['url', { url: null }],
    ['url', { url: '' }],
    ['url', { url: 'https://127.0.0.1/' }],
    ['eventTypes', { eventTypes: ['payment.paid'] }],
    ['description', { description: 7 }],
    ['enabled', { enabled: null }],
    ['enabled', { enabled: 'false' }],
    ['enabled', { enabled: 0 }],
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
    expect(await send('POST', `/${String(id)}/test`)).toEqual({ status: 200, body: tester.answer });
    expect(tester.tested).toEqual([{ id, url, description: null, secrets: [secret] }]);
    await send('POST', `/${String(id)}/test`, { type: 'payment.completed' });
    await send('POST', `/${String(id)}/test`, { type: 'webhook.test' });
    expect(tester.types).toEqual([null, 'payment.completed', null]);
    for (const body of [{ type: 'payment.paid' }, { type: null }, { typ: 'payment.failed' }]) {
      const { status, body: refusal } = await send('POST', `/${String(id)}/test`, body);
      expect([status, refusal['errors']]).toMatchObject([418, [{ field: Object.keys(body)[0] }]]);
    }
    expect(tester.types).toHaveLength(3);
  });
});
