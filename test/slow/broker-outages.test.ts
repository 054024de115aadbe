import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { describeWithPrivateBroker, startPrivateBroker } from '../support/broker.ts';
import { EventFlow } from '../support/event-flow.ts';
import type { PrivateBroker } from '../../tools/testkit/private-broker.ts';

const PAYMENTS = 250;
const SLOW_MS = 120_000;
const AWAY_MS = 8_000;

/** The other faults of a broker are in test/contract/rabbitmq-faults.test.ts and rabbitmq-refusals.test.ts. */
describeWithPrivateBroker('events that flow to a durable queue while the broker fails', () => {
  let broker: PrivateBroker;
  let flow: EventFlow;

  beforeAll(async () => {
    broker = await startPrivateBroker();
    flow = await EventFlow.open(broker.url);
  }, SLOW_MS);
  afterAll(() => flow.close(), SLOW_MS);

  it(
    'is killed, stays away while changes happen, and is started again',
    async () => {
      await flow.add(PAYMENTS);
      await flow.untilDelivered(PAYMENTS);
      const arrivals = await flow.through(async () => {
        await broker.kill9();
        const delivered = await flow.deliveredAtLast();
        await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
        expect(flow.destination.health().status).toBe('degraded');
        expect(await flow.delivered()).toEqual(delivered);
        await broker.restart();
      });
      arrivals.check(flow.quoteIds);
    },
    SLOW_MS,
  );
});
