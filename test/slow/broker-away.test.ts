import { expect, it } from '@jest/globals';

import { RABBITMQ_TIMING } from '../../src/destinations/rabbitmq/rabbitmq-timing.ts';
import { describeWithPrivateBroker, startPrivateBroker } from '../support/broker.ts';
import { EventFlow } from '../support/event-flow.ts';

/** Minutes, so that the waits between attempts to connect reach their longest. */
const AWAY_MS = 130_000;
const PAYMENTS = 250;
/** Until the broker is back. */
const PACE_MS = 200;
const SLOW_MS = 300_000;

describeWithPrivateBroker('a broker that is away for minutes while changes happen', () => {
  it(
    'is found again, with waits as they are in earnest, and gets every event in order',
    async () => {
      const broker = await startPrivateBroker();
      const { reconnectFromMs, reconnectUpToMs } = RABBITMQ_TIMING;
      const flow = await EventFlow.open(broker.url, broker.url, { reconnectFromMs, reconnectUpToMs });
      try {
        await flow.add(PAYMENTS);
        await flow.untilDelivered(PAYMENTS);
        const arrivals = await flow.through(async () => {
          await broker.kill9();
          const delivered = await flow.deliveredAtLast();
          await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
          expect(flow.destination.health().status).toBe('degraded');
          expect(await flow.delivered()).toEqual(delivered);
          await broker.restart();
        }, PACE_MS);
        arrivals.check(flow.quoteIds);
      } finally {
        await flow.close();
      }
    },
    SLOW_MS,
  );
});
