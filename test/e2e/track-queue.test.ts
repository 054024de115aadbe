import { beforeAll, expect, it } from '@jest/globals';

import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { BrokerQueues } from '../support/broker-queues.ts';
import { SharedProcess, type SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import {
  arrivalsAt,
  firstArrivals,
  storyOf,
  waitForStories,
  type PublishedEvent,
} from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const RABBITMQ_URL = brokerUrl();
const TYPES = ['payment.created', 'payment.completed'];

describeWithBroker('the queues of RabbitMQ', () => {
  let stage: Stage;
  let queues: BrokerQueues;
  let track: string;
  let events: string;
  let shared: SharedProcess;
  let app: SharedService;
  beforeAll(async () => {
    queues = await BrokerQueues.open(RABBITMQ_URL);
    stage = await Stage.open();
    track = queues.name('track');
    events = queues.name('events');
    shared = new SharedProcess();
    await start();
    await stage.addShop(app);
  });

  /** Starts a Paybell that consumes the queue, once the former one has ended. */
  async function start(): Promise<void> {
    app = await stage.startIn(shared, settings());
    await waitFor(() => app.lines.some((line) => line.includes(`Consuming the RabbitMQ queue`)));
  }

  function settings(): Record<string, string> {
    return {
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
