import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { CATCH_UP_MS, walkWithWebhooks } from '../support/broker-walk.ts';
import { Stage, jsonOf } from '../support/stage.ts';
import { Subscriber } from '../support/subscriber.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const AMQP_PORT = 5672;

describeWithBroker('a broker behind a broken line', () => {
  let stage: Stage;
  let subscriber: Subscriber;
  let proxy: TcpProxy;
  let app: SharedService;
  /** The events that the subscriber gets in this file. */
  const told = new Map<string, string[]>();

  beforeAll(async () => {
    stage = await Stage.open();
    proxy = await TcpProxy.inFrontOf(brokerUrl(), AMQP_PORT);
    subscriber = await Subscriber.open(brokerUrl(), stage.exchange);
    proxy.cut();
    app = await startReplica();
    await stage.addShop(app);
  });
  afterAll(() => proxy.close());

  function startReplica(): Promise<SharedService> {
    return stage.startWarm({ RABBITMQ_URL: proxy.through(brokerUrl()) });
  }

  async function brokerHealth(): Promise<unknown> {
    const { checks } = await jsonOf(await fetch(`${app.url}/health/ready`), 200);
    return (checks as { rabbitmq: { status: string } }).rabbitmq.status;
  }

  async function quotes(count: number, at = app): Promise<string[]> {
    const quoteIds = await stage.quotes(at, count);
    for (const [quoteId, story] of storyOf(quoteIds)) told.set(quoteId, story);
    return quoteIds;
  }

  function walk(quoteIds: readonly string[], disturb?: () => Promise<void>): Promise<void> {
    return walkWithWebhooks(stage, quoteIds, disturb);
  }

  async function expectWhole(quoteIds: readonly string[]): Promise<void> {
    await waitForStories(() => subscriber.events, quoteIds, 4, CATCH_UP_MS);
    expect(firstArrivals(subscriber.events)).toEqual(told);
  }

  it('is down at the start: the service serves, tracks and posts webhooks, and publishes all of it later', async () => {
    expect(await brokerHealth()).toBe('degraded');
    const quoteIds = await quotes(10);
    await walk(quoteIds);
    expect(subscriber.messages).toHaveLength(0);
    proxy.heal();
    await expectWhole(quoteIds);
    expect(await brokerHealth()).toBe('ok');
  });

  describe('in flight', () => {
    beforeEach(async () => {
      proxy.heal();
      await waitFor(async () => (await brokerHealth()) === 'ok', { timeoutMs: CATCH_UP_MS });
    });

    it('freezes in the middle of confirms: what was not confirmed is published again', async () => {
      const quoteIds = await quotes(20);
      await walk(quoteIds, async () => {
        proxy.freeze();
        await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 2);
        proxy.resetAll();
        proxy.heal();
      });
      await expectWhole(quoteIds);
    });

    it('goes away again and again under two replicas: the order of each payment is kept all the same', async () => {
      const second = await startReplica();
      const quoteIds = [...(await quotes(10)), ...(await quotes(10, second))];
      await walk(quoteIds, async () => {
        const published = subscriber.messages.length;
        await waitFor(() => subscriber.messages.length > published, { what: 'one of the messages' });
        proxy.resetAll();
      });
      await expectWhole(quoteIds);
    });
  });
});
