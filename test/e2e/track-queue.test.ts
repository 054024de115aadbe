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

  /** Starts a Paybell that consumes the queue, once the former one has ended. */
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
});
