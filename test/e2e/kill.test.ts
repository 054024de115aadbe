import { describe, expect, it } from '@jest/globals';

import { Stage } from '../support/stage.ts';
import { killsUnderLoad } from '../support/suites/kills-under-load.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

describe('kill -9', () => {
  it.concurrent(
    'between poll and delivery: the webhook comes after the restart, under the same id',
    async () => {
      const stage = await Stage.open();
      const app = await stage.start();
      await stage.addShop(app);
      const quoteId = await stage.quote(app);
      await stage.shop.waitForCount(1);
      stage.shop.answer(() => 'hang');
      stage.say([quoteId], 'DEPOSIT_RECEIVED');
      const [, inFlight] = await stage.shop.waitForCount(2);
      await app.kill9();
      stage.shop.answer(() => ({ status: 204 }));
      const restarted = await stage.start();
      const [, , again] = await stage.shop.waitForCount(3, 15_000);
      expect(again?.headers['webhook-id']).toBe(inFlight?.headers['webhook-id']);
      expect(again?.text).toBe(inFlight?.text);
      expect((await stage.eventsOf(restarted, quoteId)).map((event) => event.data.sequence)).toEqual([1, 2]);
      stage.say([quoteId], 'COMPLETED');
      await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 3);
      const types = ['payment.created', 'payment.deposit_received', 'payment.completed'];
      expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf([quoteId], types));
    },
  );

  it.concurrent(
    'in the middle of a poll: the payment is polled again when the claim has run out',
    async () => {
      const stage = await Stage.open();
      const app = await stage.start();
      await stage.addShop(app);
      const quoteId = await stage.quote(app);
      stage.say([quoteId], 'COMPLETED');
      stage.provider.fail('hang', quoteId);
      const polls = stage.provider.calls.polls(quoteId).length;
      await waitFor(() => stage.provider.calls.polls(quoteId).length > polls);
      await app.kill9();
      stage.provider.recover();
      await stage.start();
      await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 2);
    },
  );
});

killsUnderLoad(2);
