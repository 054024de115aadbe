import { afterAll, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { CATCH_UP_MS, walkWithWebhooks as walk } from '../support/broker-walk.ts';
import { Stage, jsonOf } from '../support/stage.ts';
import { Subscriber } from '../support/subscriber.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const AMQP_PORT = 5672;

async function brokerHealth(app: AppProcess): Promise<unknown> {
  const { checks } = await jsonOf(await fetch(`${app.url}/health/ready`), 200);
  return (checks as { rabbitmq: { status: string } }).rabbitmq.status;
}

describeWithBroker('a broker behind a broken line', () => {
  const proxies: TcpProxy[] = [];
  afterAll(async () => {
    for (const proxy of proxies) await proxy.close();
  });

  async function open(): Promise<{ stage: Stage; subscriber: Subscriber; proxy: TcpProxy; url: string }> {
    const stage = await Stage.open();
    const proxy = await TcpProxy.inFrontOf(brokerUrl(), AMQP_PORT);
    proxies.push(proxy);
    const subscriber = await Subscriber.open(brokerUrl(), stage.exchange);
    return { stage, subscriber, proxy, url: proxy.through(brokerUrl()) };
  }

  it.concurrent(
    'is down at the start: the service serves, tracks and posts webhooks, and publishes all of it later',
    async () => {
      const { stage, subscriber, proxy, url } = await open();
      proxy.cut();
      const app = await stage.start({ RABBITMQ_URL: url });
      await stage.addShop(app);
      expect(await brokerHealth(app)).toBe('degraded');
      const quoteIds = await stage.quotes(app, 10);
      await walk(stage, quoteIds);
      expect(subscriber.messages).toHaveLength(0);
      proxy.heal();
      await waitForStories(() => subscriber.events, quoteIds, 4, CATCH_UP_MS);
      expect(firstArrivals(subscriber.events)).toEqual(storyOf(quoteIds));
      expect(await brokerHealth(app)).toBe('ok');
    },
  );

  it.concurrent(
    'goes away in flight again and again: published again, in order, nothing missing',
    async () => {
      const { stage, subscriber, proxy, url } = await open();
      const app = await stage.start({ RABBITMQ_URL: url });
      await stage.addShop(app);
      const quoteIds = await stage.quotes(app, 20);
      await walk(stage, quoteIds, async () => {
        const published = subscriber.messages.length;
        await waitFor(() => subscriber.messages.length > published, { what: 'one of the messages' });
        proxy.cut();
        await waitFor(async () => (await brokerHealth(app)) === 'degraded');
        proxy.heal();
      });
      await waitForStories(() => subscriber.events, quoteIds, 4, CATCH_UP_MS);
      expect(firstArrivals(subscriber.events)).toEqual(storyOf(quoteIds));
    },
  );

  it.concurrent(
    'goes away again and again under two replicas: the order of each payment is kept all the same',
    async () => {
      const { stage, subscriber, proxy, url } = await open();
      const apps = [
        await stage.start({ RABBITMQ_URL: url }),
        await stage.start({ RABBITMQ_URL: url }),
      ] as const;
      await stage.addShop(apps[0]);
      const quoteIds = [...(await stage.quotes(apps[0], 10)), ...(await stage.quotes(apps[1], 10))];
      await walk(stage, quoteIds, async () => {
        const published = subscriber.messages.length;
        await waitFor(() => subscriber.messages.length > published, { what: 'one of the messages' });
        proxy.resetAll();
      });
      await waitForStories(() => subscriber.events, quoteIds, 4, CATCH_UP_MS);
      expect(firstArrivals(subscriber.events)).toEqual(storyOf(quoteIds));
    },
  );

  it.concurrent('freezes in the middle of confirms: what was not confirmed is published again', async () => {
    const { stage, subscriber, proxy, url } = await open();
    const app = await stage.start({ RABBITMQ_URL: url });
    await stage.addShop(app);
    const quoteIds = await stage.quotes(app, 20);
    await walk(stage, quoteIds, async () => {
      proxy.freeze();
      await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 2);
      proxy.resetAll();
      proxy.heal();
    });
    await waitForStories(() => subscriber.events, quoteIds, 4, CATCH_UP_MS);
    expect(firstArrivals(subscriber.events)).toEqual(storyOf(quoteIds));
  });
});
