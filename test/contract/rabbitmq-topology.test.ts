import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { connect } from 'amqplib';

import { RabbitmqHealth } from '../../src/destinations/rabbitmq/rabbitmq-health.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { deliver, deliverUntilDelivered, isReady, owed, Scripted, Workbench } from './rabbitmq-workbench.ts';

const DELIVERED = { kind: 'delivered', httpStatus: null, isRouted: true };
const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };

/** Uses a connection of its own: a check for a missing queue ends the channel. */
async function exists(queue: string): Promise<boolean> {
  const connection = await connect(brokerUrl());
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  try {
    return (await channel.checkQueue(queue)).queue === queue;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

describeWithBroker('What Paybell declares at RabbitMQ', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await Workbench.open();
  });
  afterEach(() => bench.close());

  it('is a durable quorum queue for every event, where RABBITMQ_EVENT_QUEUE names one', async () => {
    const eventQueue = bench.queueName('events');
    const destination = bench.destination(undefined, {}, { eventQueue });
    destination.start();
    await isReady(destination);
    const events = [owed({ type: 'payment.created' }), owed({ type: 'payment.anomaly' }), owed()];
    for (const event of events) expect(await deliver(destination, event)).toEqual(DELIVERED);

    await expect(bench.channel.assertQueue(eventQueue, QUORUM)).resolves.toMatchObject({ messageCount: 3 });
    const messages = await bench.consume(eventQueue);
    await waitFor(() => messages.length === 3);
    expect(messages.map(({ properties }) => properties.messageId)).toEqual(
      events.map((each) => each.eventId),
    );
    expect(destination.health()).toEqual({ status: 'ok' });
  });

  it('is declared again when the event queue is deleted: no event is passed over', async () => {
    const eventQueue = bench.queueName('events');
    const destination = bench.destination(undefined, {}, { eventQueue });
    destination.start();
    await isReady(destination);
    await bench.channel.deleteQueue(eventQueue);

    await deliverUntilDelivered(destination, owed());

    await expect(bench.channel.checkQueue(eventQueue)).resolves.toMatchObject({ messageCount: 1 });
  });

  it('is declared again in time when the event queue is deleted while others are bound for everything', async () => {
    const others = await bench.consume(await bench.queue());
    const eventQueue = bench.queueName('events');
    const destination = bench.destination(undefined, { declareEveryMs: 100 }, { eventQueue });
    destination.start();
    await isReady(destination);
    await bench.channel.deleteQueue(eventQueue);

    const published = async (): Promise<boolean> => {
      await deliver(destination, owed());
      return exists(eventQueue);
    };
    await waitFor(published, { what: 'the event queue' });
    const before = others.length;
    await deliver(destination, owed());
    await waitFor(() => others.length > before);
    // A queue is declared before it is bound: it gets no event in between.
    await waitFor(async () => {
      await deliver(destination, owed());
      return (await bench.channel.checkQueue(eventQueue)).messageCount > 0;
    });
    expect(bench.logged.filter((line) => line.startsWith('Publishing to'))).toHaveLength(1);
  });

  it.each([
    ['has other arguments', { durable: true }, 'other arguments'],
    ['another connection has alone', { exclusive: true }, 'RESOURCE_LOCKED'],
  ])(
    'goes on for other queues past an event queue that %s, says what to do, and keeps what no other queue takes',
    async (_, options, why) => {
      const eventQueue = bench.queueName('events');
      await bench.channel.assertQueue(eventQueue, options);
      const destination = bench.destination(undefined, {}, { eventQueue });
      destination.start();

      await waitFor(() => destination.health().detail?.includes(why));

      expect(destination.health().detail).toMatch(
        new RegExp(
          `^the queue "${eventQueue}" exists with other arguments .*[^.]\\); delete it, or set RABBITMQ_EVENT_QUEUE to another name$`,
        ),
      );
      expect(destination.trouble()).toMatchObject({
        problem: 'refuses',
        detail: destination.health().detail,
      });
      const others = await bench.consume(await bench.queue(['payment.completed']));
      await expect(deliver(destination, owed())).resolves.toEqual(DELIVERED);
      await waitFor(() => others.length === 1);
      const created = owed({ type: 'payment.created' });
      await expect(deliver(destination, created)).resolves.toMatchObject({ failure: 'broker_refused' });
      await bench.channel.deleteQueue(eventQueue);
      await waitFor(async () => (await deliver(destination, created)).kind === 'delivered');
      await expect(bench.channel.checkQueue(eventQueue)).resolves.toMatchObject({ messageCount: 1 });
      expect(destination.health()).toEqual({ status: 'ok' });
    },
  );

  it.each(['', '.rejected'])(
    'goes on publishing while the track queue%s has other arguments, and says so in health',
    async (suffix) => {
      const trackQueue = bench.queueName('track');
      await bench.channel.assertQueue(`${trackQueue}${suffix}`, { durable: true });
      const messages = await bench.consume(await bench.queue());
      const destination = await bench.ready();
      const requests = new Scripted();
      const consumer = bench.consumer(requests, { queue: trackQueue });
      const health = new RabbitmqHealth([destination, consumer], 'off');

      await waitFor(() => health.health().detail?.includes('other arguments'));
      expect(health.health()).toEqual({
        status: 'degraded',
        detail: expect.stringMatching(
          new RegExp(`the queue "${trackQueue}${suffix}" exists .* set RABBITMQ_TRACK_QUEUE to another name`),
        ),
      });
      expect(bench.logged.filter((line) => line.includes('The track queue is not usable'))).toHaveLength(1);
      await expect(deliver(destination, owed())).resolves.toEqual(DELIVERED);
      await waitFor(() => messages.length === 1);

      await bench.channel.deleteQueue(`${trackQueue}${suffix}`);
      await waitFor(() => consumer.health().status === 'ok');
      bench.channel.sendToQueue(trackQueue, Buffer.from('{}'));
      await waitFor(() => requests.asked.length === 1);
      expect(health.health()).toEqual({ status: 'ok' });
    },
  );
});
