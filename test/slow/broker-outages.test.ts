import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';

import { RABBITMQ_TIMING, type RabbitmqTiming } from '../../src/destinations/rabbitmq/rabbitmq-timing.ts';
import { describeWithPrivateBroker, startPrivateBroker } from '../support/broker.ts';
import { EventFlow } from '../support/event-flow.ts';
import type { PrivateBroker } from '../../tools/testkit/private-broker.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const AMQP_PORT = 5672;
/** Less than any event's message. */
const NO_MESSAGE_BYTES = 100;
const DEFAULT_MESSAGE_BYTES = 134_217_728;
const LOW_WATERMARK = '0.000001';
const USUAL_WATERMARK = '0.4';
const SLOW_MS = 120_000;
/** Slow enough for events to come even after a broker's control command that takes ten seconds. */
const SLOW_PACE_MS = 100;
/** Longer than a confirm may take. */
const ALARM_MS = 20_000;
const AWAY_MS = 8_000;

describeWithPrivateBroker('events that flow to a durable queue while the broker fails', () => {
  let broker: PrivateBroker;
  let proxy: TcpProxy;
  let flow: EventFlow;

  beforeAll(async () => {
    broker = await startPrivateBroker();
  }, SLOW_MS);
  beforeEach(async () => {
    proxy = await TcpProxy.inFrontOf(broker.url, AMQP_PORT);
  });
  afterEach(async () => {
    await flow.close();
    await proxy.close();
  }, SLOW_MS);

  async function open(payments: number, timing: Partial<RabbitmqTiming> = {}): Promise<EventFlow> {
    flow = await EventFlow.open(broker.url, proxy.through(broker.url), timing);
    await flow.add(payments);
    await flow.untilDelivered(payments);
    return flow;
  }

  it(
    'is killed, stays away while changes happen, and is started again',
    async () => {
      await open(250);
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

  it(
    'closes the connection',
    async () => {
      await open(100);
      const arrivals = await flow.through(async () => {
        await broker.control('close_all_connections', 'a test');
        await waitFor(() => proxy.accepted > 1, { what: 'another connection' });
      });
      arrivals.check(flow.quoteIds);
    },
    SLOW_MS,
  );

  it(
    'closes the channel since a precondition failed, again and again',
    async () => {
      await open(100);
      const arrivals = await flow.through(async () => {
        try {
          await allowMessagesOf(NO_MESSAGE_BYTES);
          // A channel learns the limit when it is opened.
          proxy.resetAll();
          await waitFor(() => flow.destination.health().detail?.includes('larger than configured max size'));
        } finally {
          await allowMessagesOf(DEFAULT_MESSAGE_BYTES);
        }
      }, SLOW_PACE_MS);
      expect(proxy.accepted).toBe(2);
      arrivals.check(flow.quoteIds);
    },
    SLOW_MS,
  );

  it(
    `has a memory alarm for ${ALARM_MS / 1_000} s: nothing is published, and no attempt is used up`,
    async () => {
      await open(100, { confirmMs: RABBITMQ_TIMING.confirmMs });
      const arrivals = await flow.through(async () => {
        await broker.control('set_vm_memory_high_watermark', LOW_WATERMARK);
        await waitFor(() => flow.destination.health().detail === 'blocked by the broker');
        await new Promise((resolve) => setTimeout(resolve, ALARM_MS));
        expect(flow.destination.health().detail).toBe('blocked by the broker');
        await broker.control('set_vm_memory_high_watermark', USUAL_WATERMARK);
      });
      expect(proxy.accepted).toBe(1);
      expect(await flow.mostAttempts()).toBe(1);
      arrivals.check(flow.quoteIds);
    },
    SLOW_MS,
  );

  it(
    'is cut off without a FIN',
    async () => {
      await open(100, { confirmMs: 1_000 });
      const arrivals = await flow.through(async () => {
        proxy.abandonAll();
        await waitFor(() => proxy.accepted > 1, { what: 'another connection' });
      });
      arrivals.check(flow.quoteIds);
    },
    SLOW_MS,
  );

  function allowMessagesOf(bytes: number): Promise<string> {
    return broker.control('eval', `application:set_env(rabbit, max_message_size, ${bytes}).`);
  }
});
