import { expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { Stage } from '../support/stage.ts';
import { Subscriber } from '../support/subscriber.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const KILLS = 8;
const PAYMENTS = 50;
const STATUSES = ['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];

describeWithBroker('kill -9 at random moments under load', () => {
  it(
    `${KILLS} times with ${PAYMENTS} payments walking: nothing lost, nothing made twice, first arrivals in order`,
    async () => {
      const stage = await Stage.open();
      const subscriber = await Subscriber.open(brokerUrl(), stage.exchange);
      const settings = { RABBITMQ_URL: brokerUrl() };
      let app: AppProcess = await stage.start(settings);
      await stage.addShop(app);
      const quoteIds = await stage.quotes(app, PAYMENTS);
      const walking = walkOn(stage, quoteIds);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const arrived = stage.shop.requests.length;
        const moment = arrived + Math.floor(Math.random() * 40);
        await waitFor(() => stage.shop.requests.length >= moment, { timeoutMs: 5_000 }).catch(
          () => undefined,
        );
        await app.kill9();
        app = await stage.start(settings);
      }
      await walking;
      // What the last kill left leased is taken over when the lease has run out.
      await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 4, 30_000);
      await waitForStories(() => subscriber.events, quoteIds, 4, 30_000);
      expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf(quoteIds));
      expect(firstArrivals(subscriber.events)).toEqual(storyOf(quoteIds));
      expect(await app.stop()).toBe(0);
    },
    60_000 + KILLS * 6_000,
  );
});

/** Each payment gets its next status as soon as the last one is stored, a few at a time, so that none is skipped. */
async function walkOn(stage: Stage, quoteIds: readonly string[]): Promise<void> {
  const step = new Map(quoteIds.map((id) => [id, 0]));
  await waitFor(
    async () => {
      for (const [index, status] of STATUSES.slice(0, -1).entries()) {
        const arrived = await stage.at(
          quoteIds.filter((id) => step.get(id) === index),
          status,
        );
        for (const id of arrived.filter(() => Math.random() < 0.2)) {
          step.set(id, index + 1);
          stage.say([id], STATUSES[index + 1] ?? '');
        }
      }
      return (await stage.at(quoteIds, 'COMPLETED')).length === quoteIds.length;
    },
    { timeoutMs: 60_000, everyMs: 40, what: 'all payments at COMPLETED' },
  );
}
