import { connect } from 'amqplib';
import { expect, it } from '@jest/globals';

import { describeWithPrivateBroker, startPrivateBroker } from '../support/broker.ts';
import { acceptsAmqp } from '../support/rabbitmq-lookup.ts';

const SLOW_MS = 180_000;

describeWithPrivateBroker('the private RabbitMQ of fault tests', () => {
  it(
    'keeps what is durable through a kill and a stop, on the same address',
    async () => {
      const broker = await startPrivateBroker();
      const before = await connect(broker.url);
      before.on('error', () => undefined);
      await (await before.createChannel()).assertExchange('kept', 'topic', { durable: true });
      await broker.kill9();
      expect(await acceptsAmqp(broker.url)).toBe(false);
      await broker.restart();
      const after = await connect(broker.url);
      await (await after.createChannel()).checkExchange('kept');
      await after.close();
      await broker.stop();
      expect(await acceptsAmqp(broker.url)).toBe(false);
    },
    SLOW_MS,
  );
});
