import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { BrokerQueues } from '../support/broker-queues.ts';
import { SharedProcess } from '../support/shared-process.ts';
import { Stage } from '../support/stage.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const AMQP_PORT = 5672;
const NOTHING = (roles: string): object => ({
  status: 'off',
  detail: `this process does nothing at RabbitMQ: ROLES is ${roles}`,
});

describeWithBroker('a process of a role', () => {
  let stage: Stage;
  let queue: string;
  let queues: BrokerQueues;
  const shared = new SharedProcess();
  beforeAll(async () => {
    stage = await Stage.open();
    queues = await BrokerQueues.open(brokerUrl());
    queue = queues.name('track');
  });
  afterAll(async () => {
    await queues.channel.deleteExchange(stage.exchange);
  });

  describe.each([
    ['tracker', false, 0, NOTHING('tracker')],
    ['api,tracker', true, 1, { status: 'ok' }],
    ['api,tracker,dispatcher', true, 2, { status: 'ok' }],
  ])('%s, with a track queue: %p', (roles, hasQueue, connections, health) => {
    it(`has ${connections} connections to RabbitMQ, and shows no others in health`, async () => {
      const way = await TcpProxy.inFrontOf(brokerUrl(), AMQP_PORT);
      const app = await stage.startIn(shared, {
        ROLES: roles,
        RABBITMQ_URL: way.through(brokerUrl()),
        ...(hasQueue ? { RABBITMQ_TRACK_QUEUE: queue } : {}),
      });
      const published = async (): Promise<Record<string, unknown>> => {
        const answer = (await (await fetch(`${app.url}/health/ready`)).json()) as {
          checks: { rabbitmq: Record<string, unknown> };
        };
        return answer.checks.rabbitmq;
      };
      await waitFor(async () => (await published())['status'] !== 'degraded', {
        what: 'RabbitMQ to be usable',
      });
      expect(await published()).toEqual(health);
      expect([way.accepted, way.open]).toEqual([connections, connections]);
      expect(await app.stop()).toBe(0);
      await way.close();
    });
  });
});
