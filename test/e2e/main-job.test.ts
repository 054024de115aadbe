import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import type { SharedService } from '../support/shared-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import type { ReceivedRequest } from '../../tools/testkit/http-receiver.ts';
import { quoteObject, quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { Subscriber } from '../support/subscriber.ts';
import { arrivalsAt, PLAIN_STORY, type PublishedEvent } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const STATUSES = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];

describeWithBroker('the main job', () => {
  let stage: Stage;
  let app: SharedService;
  let subscriber: Subscriber;
  let secret: string;
  let quoteId: string;
  let quote: Record<string, unknown>;
  let webhooks: ReceivedRequest[];

  /** Moves one payment from its quote to COMPLETED; each status is published before the next one. */
  beforeAll(async () => {
    stage = await Stage.open();
    subscriber = await Subscriber.open(brokerUrl(), stage.exchange);
    app = await stage.startWarm({ RABBITMQ_URL: brokerUrl() });
    secret = await stage.addShop(app);
    const order = { orderId: 'A-1001', metadata: { shop: 'eu' } };
    const answer = await app.fetch('/api/quote', { method: 'POST', body: { ...quoteRequest(), ...order } });
    quote = await jsonOf(answer, 200);
    quoteId = String(quote['quoteId']);
    for (const [index, status] of STATUSES.entries()) {
      await stage.shop.waitForCount(index + 1);
      stage.provider.setStatus(quoteId, {
        status,
        deposit: { amount: '0.050000000000000001' },
        extra: index,
      });
    }
    await stage.shop.waitForCount(4);
    await waitFor(() => subscriber.messages.length >= 4, { what: 'four RabbitMQ messages' });
    webhooks = [...stage.shop.requests];
  });

  afterAll(async () => {
    expect(await app.stop()).toBe(0);
  });

  it("answers with the provider's quote, every field of it", () => {
    expect(quote).toEqual(quoteObject(quoteId, quoteRequest()));
  });

  it('sends the provider the six fields of the spec and the key, and nothing of ours', () => {
    const sent = stage.provider.requests.find(({ path }) => path === '/api/quote');
    expect(sent?.json).toEqual(quoteRequest());
    expect(sent?.headers['x-api-key']).toBe('provider-key-of-the-stage');
  });

  it('publishes every status once, in order, as a webhook that standardwebhooks verifies', () => {
    const verified = webhooks.map(({ text, headers }) => {
      return new Webhook(secret).verify(text, headers as Record<string, string>) as PublishedEvent;
    });
    expect(verified.map(({ type, data }) => [data.sequence, type])).toEqual(
      PLAIN_STORY.map((type, index) => [index + 1, type]),
    );
    expect(verified.map(({ data }) => [data.previousStatus, data.status])).toEqual([
      [null, 'AWAITING_DEPOSIT'],
      ['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED'],
      ['DEPOSIT_RECEIVED', 'EXECUTING'],
      ['EXECUTING', 'COMPLETED'],
    ]);
  });

  it('refuses the same webhook with one byte changed', () => {
    const [webhook] = webhooks;
    const headers = webhook?.headers as Record<string, string>;
    expect(() => new Webhook(secret).verify(`${webhook?.text} `, headers)).toThrow();
  });

  it('posts each webhook as Standard Webhooks say', () => {
    for (const { method, headers, json } of webhooks) {
      expect(method).toBe('POST');
      expect(headers['content-type']).toBe('application/json');
      expect(headers['webhook-id']).toBe((json as PublishedEvent).id);
      expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
      expect(headers['user-agent']).toMatch(/^Paybell\/\d+\.\d+\.\d+$/);
    }
  });

  it('makes each event a CloudEvent about the payment, the report in it verbatim', () => {
    const published = webhooks.map(({ json }) => json as PublishedEvent);
    for (const event of published) {
      expect(event).toMatchObject({
        specversion: '1.0',
        source: 'paybell',
        subject: quoteId,
        datacontenttype: 'application/json',
        data: { quoteId, provider: 'http', orderId: 'A-1001', metadata: { shop: 'eu' }, late: false },
      });
      const version = event.type === 'payment.completed' ? 5 : 7;
      expect(event.id).toMatch(
        new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
      );
      expect(new Date(event.time).toISOString()).toBe(event.time);
    }
    expect(published[0]?.data.payment).toBeNull();
    expect(published[3]?.data.payment).toMatchObject({ quoteId, status: 'COMPLETED', extra: 2 });
    expect(webhooks[3]?.text).toContain('"deposit":{"amount":"0.050000000000000001"}');
  });

  it('publishes the identical bytes to RabbitMQ, with the properties of the contract', () => {
    expect(subscriber.messages.map(({ content }) => content.toString('utf8'))).toEqual(
      webhooks.map(({ text }) => text),
    );
    for (const [index, { fields, properties }] of subscriber.messages.entries()) {
      const event = subscriber.events[index];
      expect(fields.routingKey).toBe(event?.type);
      expect(properties).toMatchObject({
        contentType: 'application/cloudevents+json',
        deliveryMode: 2,
        messageId: event?.id,
        type: event?.type,
        timestamp: Math.floor(Date.parse(event?.time ?? '') / 1000),
        appId: 'paybell',
        headers: { quote_id: quoteId, order_id: 'A-1001', sequence: index + 1 },
      });
    }
  });

  it("answers the status verbatim as last reported, with the report's time, at no cost to the provider", async () => {
    const polls = stage.provider.calls.count('/api/status');
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.fetch(`/api/status/${quoteId}`)));
    const last = webhooks[3]?.json as PublishedEvent;
    for (const answer of answers) {
      expect(await jsonOf(answer, 200)).toEqual(last.data.payment);
      const reportedAt = Date.parse(answer.headers.get('last-modified') ?? '');
      expect(Math.abs(reportedAt - Date.parse(last.time))).toBeLessThan(2_000);
    }
    expect(stage.provider.calls.count('/api/status')).toBe(polls);
  });

  it('shows the payment with its quote and report, and its events as they were published', async () => {
    const payment = await jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);
    expect(payment).toMatchObject({
      quoteId,
      orderId: 'A-1001',
      metadata: { shop: 'eu' },
      status: 'COMPLETED',
      late: false,
      sequence: 4,
      tracking: 'watching',
      nextPollAt: expect.any(String),
      quote,
    });
    const events = await app.fetch(`/api/payments/${quoteId}/events`);
    expect(await events.text()).toBe(`{"data":[${webhooks.map(({ text }) => text).join(',')}]}`);
  });

  it('publishes that a person resolved a payment to the shop, to RabbitMQ and in the log', async () => {
    const path = `/api/payments/${quoteId}/resolve`;
    const body = { reason: 'fulfilled_elsewhere', note: 'by hand' };
    for (const times of [1, 2]) {
      const answer = await jsonOf(await app.fetch(path, { method: 'POST', body }), 200);
      expect([times, answer]).toMatchObject([
        times,
        { status: 'COMPLETED', sequence: 5, resolution: { ...body, by: 'test' } },
      ]);
    }
    const isIt = ({ subject, data }: PublishedEvent): boolean => subject === quoteId && data.sequence === 5;
    const log = `/api/events?quoteId=${quoteId}`;
    const published = await Promise.all([
      waitFor(() => arrivalsAt(stage.shop).find(isIt)),
      waitFor(() => subscriber.events.find(isIt)),
      waitFor(async () => ((await jsonOf(await app.fetch(log), 200))['data'] as PublishedEvent[]).find(isIt)),
    ]);
    const { resolution } = await jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);
    for (const event of published)
      expect(event).toMatchObject({
        type: 'payment.updated',
        data: { status: 'COMPLETED', previousStatus: 'COMPLETED', resolution },
      });
  });
});
