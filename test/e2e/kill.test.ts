import { expect, it } from '@jest/globals';

import { jsonOf, Stage } from '../support/stage.ts';
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
  const again = await waitFor(() =>
    stage.shop.requests
      .slice(arrived + 1)
      .find(({ json }) => (json as { subject: string }).subject === quoteId),
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

it('kill -9 of a replica in the middle of 200 quotes leaves no opened address without a row: each is a payment or an unanswered quote', async () => {
  const stage = await Stage.open();
  const [killed, other] = await Promise.all([stage.startWarm(), stage.startWarm()]);
  stage.provider.slowDown(30);
  const orders = Array.from({ length: 200 }, (_, index) => ({
    orderId: `K-${index}`,
    amount: `${index + 1}`,
  }));
  const opened = (): string[] =>
    stage.provider.requests
      .filter(({ path }) => path === '/api/quote')
      .map(({ json }) => (json as { amount: string }).amount);
  const waiting = orders.values();
  const ask = async (): Promise<void> => {
    for (const order of waiting)
      await stage.askQuote(Number(order.amount) % 2 === 0 ? killed : other, order).catch(() => null);
  };
  const asking = Array.from({ length: 20 }, ask);
  await waitFor(() => opened().length >= 80);
  // The provider does not answer these requests before the replica is killed.
  stage.provider.slowDown(1_000);
  const answered = opened().length;
  const isOfKilled = (amount: string): boolean => Number(amount) % 2 === 0;
  await waitFor(() => opened().slice(answered).some(isOfKilled));
  await killed.kill9();
  stage.provider.slowDown(30);
  await Promise.all(asking);
  const rows = await stage.database.query<{ order_id: string }>('SELECT order_id FROM payment');
  const stored = new Set(rows.map(({ order_id: orderId }) => orderId));
  const unanswered = new Set<string>();
  for (let cursor = ''; ;) {
    const page = await jsonOf(await other.fetch(`/api/unanswered-quotes?limit=5&cursor=${cursor}`), 200);
    for (const { orderId } of page['data'] as { orderId: string }[]) unanswered.add(orderId);
    if (page['nextCursor'] === null) break;
    cursor = page['nextCursor'] as string;
  }
  const openedOrders = opened().map((amount) => `K-${Number(amount) - 1}`);
  expect(openedOrders.filter((order) => !stored.has(order) && !unanswered.has(order))).toEqual([]);
  expect([...unanswered].filter((order) => stored.has(order))).toEqual([]);
  expect(unanswered.size).toBeGreaterThan(0);
  expect(stored.size).toBeGreaterThanOrEqual(100);
});
