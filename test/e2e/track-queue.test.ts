import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';

import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { BrokerQueues } from '../support/broker-queues.ts';
import { SharedProcess, type SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import {
  arrivalsAt,
  firstArrivals,
  storyOf,
  waitForStories,
  type PublishedEvent,
} from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** A wait between two tries grows up to 30 s. */
const AGAIN_MS = 40_000;
const POSTGRES_PORT = 5432;
const RABBITMQ_URL = brokerUrl();
const TYPES = ['payment.created', 'payment.completed'];

describeWithBroker('the queues of RabbitMQ', () => {
  let stage: Stage;
  let queues: BrokerQueues;
  let database: TcpProxy;
  let track: string;
  let events: string;
  let shared: SharedProcess;
  let app: SharedService;
  beforeAll(async () => {
    queues = await BrokerQueues.open(RABBITMQ_URL);
    stage = await Stage.open();
    database = await TcpProxy.inFrontOf(stage.database.url, POSTGRES_PORT);
    track = queues.name('track');
    events = queues.name('events');
    shared = new SharedProcess();
    await start();
    await stage.addShop(app);
  });
  afterEach(() => database.heal());
  afterAll(() => database.close());

  /** A Paybell that consumes, once the former one has ended. */
  async function start(): Promise<void> {
    app = await stage.startIn(shared, settings());
    await waitFor(() => app.lines.some((line) => line.includes(`Consuming the RabbitMQ queue`)));
  }

  function waitForPayments(count: number): Promise<unknown> {
    return waitFor(async () => (await stage.countPayments()) === count, { timeoutMs: AGAIN_MS });
  }

  function settings(): Record<string, string> {
    return {
      DATABASE_URL: database.through(stage.database.url),
      RABBITMQ_URL,
      RABBITMQ_TRACK_QUEUE: track,
      RABBITMQ_EVENT_QUEUE: events,
    };
  }

  it('track: a quote is tracked as POST /api/payments does; events: every event of it comes', async () => {
    const quoteId = stage.provider.addQuote();
    const order = { orderId: 'B-7', metadata: { from: 'orders' } };
    await queues.send(track, { quoteId, ...order }, { contentType: 'application/json' });
    await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 1);
    await queues.send(track, { quoteId, orderId: order.orderId });
    stage.say([quoteId], 'COMPLETED');

    const messages = await queues.consume(events);
    const published = (): PublishedEvent[] =>
      messages.map(({ content }) => JSON.parse(content.toString()) as PublishedEvent);
    await waitForStories(published, [quoteId], 2);
    expect(firstArrivals(published())).toEqual(storyOf([quoteId], TYPES));
    const path = `/api/payments/${quoteId}`;
    expect(await jsonOf(await app.fetch(path), 200)).toMatchObject({ quoteId, ...order, quote: null });
    expect(await queues.count(`${track}.rejected`)).toBe(0);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain('paybell_track_messages_total{outcome="taken"} 2');
    expect(metrics).toContain('paybell_rabbitmq_unroutable_total 0');
  });

  it('track: what can not be read, is not valid or names an unknown quote is rejected with the reason', async () => {
    const paymentsBefore = await stage.countPayments();
    const quoteId = stage.provider.addQuote();
    const poison: [Buffer | object, string, object?][] = [
      [Buffer.from([0xff, 0xfe]), 'malformed_json'],
      [Buffer.from('{"quoteId"'), 'malformed_json'],
      [Buffer.alloc(10_000_000, 0x5b), 'body_too_large'],
      [Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), 'invalid_request'],
      [{ quoteId: '' }, 'invalid_request'],
      [{ quoteId, metadata: { shop: 1 } }, 'invalid_request'],
      [{ quoteId }, 'unsupported_media_type', { contentType: 'text/plain' }],
      [{ quoteId: crypto.randomUUID() }, 'unknown_payment'],
    ];
    for (const [body, code, options] of poison)
      await queues.send(track, body, { messageId: code, ...options });
    await queues.send(track, { quoteId });
    await waitFor(async () => (await stage.countPayments()) === paymentsBefore + 1);

    await waitFor(async () => (await queues.count(`${track}.rejected`)) === poison.length);
    const rejected = await queues.take(`${track}.rejected`, poison.length);
    expect(app.lines.filter((line) => line.includes('A track message failed'))).toEqual([]);
    for (const { properties } of rejected)
      expect(properties.headers).toEqual({
        'x-paybell-code': properties.messageId,
        'x-paybell-reason': expect.stringMatching(/^.{10,}\.$/),
        'x-paybell-attempts': 1,
      });
    expect(rejected.map(({ content }) => content.length).toSorted((a, b) => b - a)[0]).toBe(10_000_000);
  });

  it('track: messages wait while the provider is down, and none is rejected', async () => {
    const paymentsBefore = await stage.countPayments();
    const quoteIds = Array.from({ length: 15 }, () => stage.provider.addQuote());
    await stage.provider.down();
    for (const quoteId of quoteIds) await queues.send(track, { quoteId });
    await waitFor(() => app.lines.some((line) => line.includes('Track messages wait')));
    expect(await app.stop()).toBe(0);
    // Every other message of this file, taken or rejected, is acknowledged.
    expect(await queues.count(track)).toBe(quoteIds.length);
    await start();
    await stage.provider.up();
    await waitForPayments(paymentsBefore + quoteIds.length);
    expect(await queues.count(`${track}.rejected`)).toBe(0);
  }, 90_000);

  it('track: messages wait while the database is away, and none is rejected', async () => {
    expect(await app.stop()).toBe(0);
    await start();
    const paymentsBefore = await stage.countPayments();
    const quoteIds = Array.from({ length: 30 }, () => stage.provider.addQuote());
    const sending = (async () => {
      for (const quoteId of quoteIds) await queues.send(track, { quoteId });
    })();
    await waitFor(async () => (await stage.countPayments()) > paymentsBefore + 3);
    database.cut();
    await sending;
    await waitFor(() => app.lines.some((line) => line.includes('Track messages wait')));
    database.heal();
    await waitForPayments(paymentsBefore + quoteIds.length);
    expect(await queues.count(`${track}.rejected`)).toBe(0);
    expect(app.lines.filter((line) => line.includes('A track message failed'))).toEqual([]);
  }, 90_000);

  it('track: a message that was in hand at a kill -9 comes again, and its payment is made once', async () => {
    const quoteId = stage.provider.addQuote();
    stage.provider.slowDown(60_000, quoteId);
    await queues.send(track, { quoteId });
    await waitFor(() => stage.provider.calls.polls(quoteId).length === 1);
    await app.kill9();
    stage.provider.recover();
    stage.provider.slowDown(0, quoteId);
    shared = new SharedProcess();
    await start();
    await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 1);
    expect((await stage.eventsOf(app, quoteId)).map(({ type }) => type)).toEqual(['payment.created']);
    await waitFor(async () => (await queues.count(track)) === 0);
  });

  it('that exist with other arguments are named in log and health; tracking and webhooks run all the same', async () => {
    expect(await app.stop()).toBe(0);
    track = queues.name('track');
    events = queues.name('events');
    for (const queue of [track, events]) await queues.channel.assertQueue(queue, { durable: true });
    app = await stage.startIn(shared, settings());
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'COMPLETED');
    await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 2);
    const health = async (): Promise<string> =>
      JSON.stringify(await jsonOf(await fetch(`${app.url}/health/ready`), 200));
    await waitFor(async () => (await health()).split('exists with other arguments').length === 3);
    for (const [variable, queue] of [
      ['RABBITMQ_TRACK_QUEUE', track],
      ['RABBITMQ_EVENT_QUEUE', events],
    ] as const) {
      const advice = `delete it, or set ${variable} to another name`;
      expect(await health()).toContain(advice);
      expect(app.lines.some((line) => line.includes(queue) && line.includes(advice))).toBe(true);
    }
    expect(await app.stop()).toBe(0);
  });
});
