import { expect, it } from '@jest/globals';

import { describeWithPrivateBroker, startPrivateBroker } from '../support/broker.ts';
import { CATCH_UP_MS, walkWithWebhooks as walk } from '../support/broker-walk.ts';
import { firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { Stage } from '../support/stage.ts';
import { Subscriber } from '../support/subscriber.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

describeWithPrivateBroker('a broker of its own', () => {
  it('is killed and started again: everything is published in order, webhooks never wait', async () => {
    const stage = await Stage.open();
    const broker = await startPrivateBroker();
    const subscriber = await Subscriber.open(broker.url, stage.exchange);
    const app = await stage.start({ RABBITMQ_URL: broker.url });
    await stage.addShop(app);
    const quoteIds = await stage.quotes(app, 20);
    stage.say(quoteIds, 'DEPOSIT_RECEIVED');
    await waitFor(() => subscriber.messages.length > 20, { what: 'messages of the second status' });
    await broker.kill9();
    await walk(stage, quoteIds);
    await broker.restart();
    await subscriber.reconnect();
    await waitForStories(() => subscriber.events, quoteIds, 4, CATCH_UP_MS);
    expect(firstArrivals(subscriber.events)).toEqual(storyOf(quoteIds));
  }, 120_000);
});
