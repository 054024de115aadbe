import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Catch, type ArgumentsHost, type ExceptionFilter, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';

import { AddressGuard } from '../../src/adapters/webhook/address-guard.ts';
import { WebhookUrlCheck } from '../../src/adapters/webhook/webhook-url-check.ts';
import { EVENT_TYPES } from '../../src/domain/event.ts';
import { WebhookEndpoints } from '../../src/ports/webhook-endpoints.ts';
import { WebhookUrls } from '../../src/ports/webhook-urls.ts';
import { WebhooksController } from '../../src/webhooks/webhooks.controller.ts';
import { FakeWebhookEndpoints } from '../support/fakes/webhook-endpoints.fake.ts';

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

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describe('WebhooksController', () => {
  let app: INestApplication;
  let base: string;
  const endpoints = new FakeWebhookEndpoints();

  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      controllers: [WebhooksController],
      providers: [
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
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
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

  it.each([
    ['url', {}],
    ['url', { url: 7 }],
    ['url', { url: `https://shop.example/${'x'.repeat(2_048)}` }],
    ['url', { url: 'nonsense' }],
    ['url', { url: 'ftp://shop.example/' }],
    ['url', { url: 'http://shop.example/' }],
    ['url', { url: 'https://user:pass@shop.example/' }],
    ['url', { url: 'https://127.1/' }],
    ['url', { url: 'https://localhost/' }],
    ['eventTypes', { url: 'https://shop.example/', eventTypes: 'payment.completed' }],
    ['eventTypes', { url: 'https://shop.example/', eventTypes: ['payment.paid'] }],
    ['eventTypes', { url: 'https://shop.example/', eventTypes: ['payment.failed', 'payment.failed'] }],
    ['description', { url: 'https://shop.example/', description: 'x'.repeat(501) }],
    ['description', { url: 'https://shop.example/', description: {} }],
  ])('names %s as the field at fault and stores nothing', async (field, asked) => {
    const before = (await endpoints.list()).length;
    const { body } = await send('POST', '', asked);
    expect(body).toMatchObject({
      code: 'invalid_request',
      errors: expect.arrayContaining([expect.objectContaining({ field })]),
    });
    expect(await endpoints.list()).toHaveLength(before);
  });

  const TYPE_LIST = 'must be an array of event types, each at most once: payment.created, ';
  it.each([
    [{}, 'url', 'must be a URL: a string of 1 to 2048 characters'],
    [{ url: 5 }, 'url', 'must be a URL: a string of 1 to 2048 characters'],
    [{ url: null }, 'url', 'must be a URL: a string of 1 to 2048 characters'],
    [{ url: 'https://shop.example/', eventTypes: 'payment.completed' }, 'eventTypes', TYPE_LIST],
    [{ url: 'https://shop.example/', eventTypes: { length: 0 } }, 'eventTypes', TYPE_LIST],
    [{ url: 'https://shop.example/', eventTypes: [['payment.failed']] }, 'eventTypes', TYPE_LIST],
    [{ url: 'https://shop.example/', description: 5 }, 'description', 'must be a string of up to 500 char'],
  ])('says of %j what the field must be, and nothing else', async (asked, field, message) => {
    const { body } = await send('POST', '', asked);
    expect(body['errors']).toEqual([{ field, message: expect.stringContaining(message) }]);
  });

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
  });
});
