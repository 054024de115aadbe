import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { describeWithBroker } from '../support/broker.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { deliver, isReady, owed, Workbench } from './rabbitmq-workbench.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';

const DELIVERED = { kind: 'delivered', httpStatus: null, isRouted: true };

describeWithBroker('Publishing to RabbitMQ', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await Workbench.open();
  });
  afterEach(() => bench.close());

  it('shows a foreign consumer every property, header and byte that the contract promises', async () => {
    const messages = await bench.consume(await bench.queue());
    const destination = await bench.ready();
    const delivery = owed({
      body: '{"data":{"metadata":{"shop":"Zürich \\u20ac 💸"},"amount":"1.100000000000000000"}}',
    });

    await expect(deliver(destination, delivery)).resolves.toEqual(DELIVERED);

    const { content, fields, properties } = await waitFor(() => messages[0]);
    expect(content.equals(Buffer.from(delivery.body))).toBe(true);
    expect(fields).toMatchObject({ exchange: bench.exchange, routingKey: 'payment.completed' });
    expect(properties).toEqual({
      contentType: 'application/cloudevents+json',
      contentEncoding: undefined,
      headers: { quote_id: delivery.quoteId, order_id: 'A-1001', sequence: 4 },
      deliveryMode: 2,
      priority: undefined,
      correlationId: undefined,
      replyTo: undefined,
      expiration: undefined,
      messageId: delivery.eventId,
      timestamp: Date.parse('2026-11-20T12:00:00Z') / 1_000,
      type: 'payment.completed',
      userId: undefined,
      appId: 'paybell',
      clusterId: undefined,
    });
  });

  it('leaves the header order_id out when the payment has none', async () => {
    const messages = await bench.consume(await bench.queue());
    const destination = await bench.ready();

    await deliver(destination, owed({ orderId: null, sequence: 70_000 }));

    await waitFor(() => messages.length === 1);
    expect(messages[0]?.properties.headers).toEqual({ quote_id: owed().quoteId, sequence: 70_000 });
  });

  it('declares the exchange as a durable topic exchange that a subscriber can assert too', async () => {
    await bench.ready();

    await expect(
      bench.channel.assertExchange(bench.exchange, 'topic', { durable: true, autoDelete: false }),
    ).resolves.toEqual({ exchange: bench.exchange });
  });

  it('keeps the order of 1,000 events, and none is delivered before it is in the queue', async () => {
    const queue = await bench.queue();
    const destination = await bench.ready();
    const deliveries = Array.from({ length: 1_000 }, (_, index) => owed({ sequence: index + 1 }));

    for (let from = 0; from < deliveries.length; from += 200) {
      const window = deliveries.slice(from, from + 200);
      const outcomes = await Promise.all(window.map((delivery) => deliver(destination, delivery)));
      expect(outcomes).toEqual(window.map(() => DELIVERED));
    }

    await expect(bench.channel.checkQueue(queue)).resolves.toMatchObject({ messageCount: 1_000 });
    const messages = await bench.consume(queue);
    await waitFor(() => messages.length === 1_000);
    expect(messages.map((message) => message.properties.messageId)).toEqual(
      deliveries.map((delivery) => delivery.eventId),
    );
  });

  it('fails an event that a queue refuses, with growing waits and for ever', async () => {
    await bench.queue(['#'], { maxLength: 1, overflow: 'reject-publish' });
    const destination = await bench.ready();
    await deliver(destination, owed());

    const nack = {
      kind: 'failed',
      failure: 'nack',
      httpStatus: null,
      retryAfterMs: null,
      isStored: true,
    } as const;
    await expect(deliver(destination, owed())).resolves.toEqual(nack);

    expect([1, 2, 3, 5, 6, 1_000_000].map((retries) => destination.retryInMs(retries, nack))).toEqual([
      1_000, 2_000, 4_000, 16_000, 30_000, 30_000,
    ]);
    expect(destination.lanePatienceMs).toBeNull();
    expect(destination.health()).toEqual({
      status: 'degraded',
      detail: 'the broker refuses payment.completed (nack): a bound queue is full',
    });
  });

  it('has the one target, a window of 200 and 10 s for a confirm', async () => {
    const destination = await bench.ready();

    await expect(destination.targets()).resolves.toMatchObject([{ id: EXCHANGE_ID }]);
    expect(destination.limits).toEqual({ total: 200, perTarget: 200, timeoutMs: 10_000 });
    expect(destination.kind).toBe('rabbitmq');
  });

  it('wakes the dispatcher when it is ready, so that a backlog goes out at once', async () => {
    const destination = bench.destination();
    const woken = bench.wakeSignals.of('rabbitmq').wait(20_000, new AbortController().signal);
    destination.start();

    await woken;

    await expect(destination.targets()).resolves.toHaveLength(1);
  });

  it('holds what it is given before it is connected, and what is aborted', async () => {
    const destination = bench.destination();
    expect(destination.health()).toEqual({ status: 'degraded', detail: 'connecting' });
    await expect(deliver(destination, owed())).resolves.toMatchObject({ kind: 'held' });
    destination.start();
    await isReady(destination);

    await expect(destination.deliver(owed(), AbortSignal.abort())).resolves.toMatchObject({ kind: 'held' });
  });

  it('waits at close for the confirms in flight, and has no target afterwards', async () => {
    const queue = await bench.queue(['#'], { arguments: { 'x-queue-type': 'quorum' } });
    const destination = await bench.ready();
    const outcomes = Array.from({ length: 200 }, () => deliver(destination, owed()));

    await destination.close();

    await expect(Promise.all(outcomes)).resolves.toEqual(outcomes.map(() => DELIVERED));
    await expect(bench.channel.checkQueue(queue)).resolves.toMatchObject({ messageCount: 200 });
    await expect(destination.targets()).resolves.toEqual([]);
  });
});
