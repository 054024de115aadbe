import { expect, it } from '@jest/globals';

import { Stage } from '../support/stage.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

it('kill -9 between a poll and its delivery, and in the middle of another: the webhook comes after the restart under the same id, and the payment is polled again when the claim has run out', async () => {
  const stage = await Stage.open();
  const app = await stage.start();
  await stage.addShop(app);
  const [quoteId, polled] = [await stage.quote(app), await stage.quote(app)];
  await waitForStories(() => arrivalsAt(stage.shop), [quoteId, polled], 1);
  const arrived = stage.shop.requests.length;
  stage.shop.answer(() => 'hang');
  stage.say([quoteId], 'DEPOSIT_RECEIVED');
  const inFlight = (await stage.shop.waitForCount(arrived + 1))[arrived];
  stage.provider.fail('hang', polled);
  stage.say([polled], 'COMPLETED');
  const polls = stage.provider.calls.polls(polled).length;
  await waitFor(() => stage.provider.calls.polls(polled).length > polls);
  await app.kill9();
  stage.provider.recover();
  stage.shop.answer(() => ({ status: 204 }));
  const restarted = await stage.startWarm();
  const again = await waitFor(
    () =>
      stage.shop.requests
        .slice(arrived + 1)
        .find(({ json }) => (json as { subject: string }).subject === quoteId),
    { timeoutMs: 15_000 },
  );
  expect(again.headers['webhook-id']).toBe(inFlight?.headers['webhook-id']);
  expect(again.text).toBe(inFlight?.text);
  expect((await stage.eventsOf(restarted, quoteId)).map((event) => event.data.sequence)).toEqual([1, 2]);
  await waitForStories(() => arrivalsAt(stage.shop), [polled], 2);
  stage.say([quoteId], 'COMPLETED');
  await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 3);
  const types = ['payment.created', 'payment.deposit_received', 'payment.completed'];
  expect(firstArrivals(arrivalsAt(stage.shop)).get(quoteId)).toEqual(storyOf([quoteId], types).get(quoteId));
});
