import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { deliver, isReady, owed, Scripted, Workbench } from './rabbitmq-workbench.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import { configOf } from '../support/config-of.ts';

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

    await deliver(destination, owed({ orderId: null, sequence: 70_000 }));

    const { headers } = (await waitFor(() => messages[1])).properties;
    expect(headers).toEqual({ quote_id: delivery.quoteId, sequence: 70_000 });
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

  it('wakes the dispatcher when it is ready, so that a backlog goes out at once', async () => {
    const destination = bench.destination();
    const woken = bench.wakeSignals.of('rabbitmq').wait(20_000, new AbortController().signal);
    destination.start();

    expect(await woken).toBe(true);

    await expect(destination.targets()).resolves.toMatchObject([{ id: EXCHANGE_ID }]);
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

const UNROUTABLE = {
  kind: 'failed',
  failure: 'unroutable',
  httpStatus: null,
  retryAfterMs: null,
  isStored: true,
} as const;

describeWithBroker('Events that no queue is bound for', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await Workbench.open();
  });
  afterEach(() => bench.close());

  it('are counted once each, logged at a bounded rate and shown in health', async () => {
    const destination = await bench.ready();
    await deliver(destination, owed({ type: 'payment.created' }));
    await deliver(destination, owed({ type: 'payment.created', attempts: 1, retries: 1 }));
    // An attempt beside the schedule, for a later event of the payment.
    await deliver(destination, owed({ type: 'payment.created', attempts: 1, retries: 0 }));
    await deliver(destination, owed({ type: 'payment.created' }));
    expect(bench.meter.unroutableEvents).toBe(2);
    expect(destination.health()).toEqual({
      status: 'degraded',
      detail: 'no queue is bound for payment.created',
    });
    const published = bench.logged.filter((line) => line.includes('No queue is bound for payment.created'));
    expect(published).toHaveLength(1);
  });

  it('are tried again for some minutes, and reach a consumer that has bound by the next attempt', async () => {
    const destination = await bench.ready();
    const event = owed({ type: 'payment.created' });
    expect(await deliver(destination, event)).toEqual(UNROUTABLE);
    const waits = [1, 2, 3, 4, 5, 6, 7].map((retries) => destination.retryInMs(retries, UNROUTABLE));
    expect(waits).toEqual([1_000, 5_000, 15_000, 30_000, 60_000, 120_000, null]);
    const messages = await bench.consume(await bench.queue());
    expect(await deliver(destination, { ...event, retries: 1 })).toEqual(DELIVERED);
    await waitFor(() => messages.length === 1);
    expect(destination.health()).toEqual({ status: 'ok' });
  });

  it('never hold back the type that a consumer did bind', async () => {
    const messages = await bench.consume(await bench.queue(['payment.completed']));
    const destination = await bench.ready();
    expect(await deliver(destination, owed({ type: 'payment.created' }))).toEqual(UNROUTABLE);
    expect(await deliver(destination, owed({ type: 'payment.completed' }))).toEqual(DELIVERED);
    await waitFor(() => messages.length === 1);
    expect(messages.map((message) => message.fields.routingKey)).toEqual(['payment.completed']);
  });
});

/** A self-signed certificate for localhost, valid for a hundred years, which only this test uses. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUbJSTg1heIgW3wwfuZWboJcs5qJMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDE5NTkzN1oYDzIxMjYxMDI3
MTk1OTM3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAT/2RvQnbQ0O4xRg4almMggJEfa/QGX6DJOJpgPcFdAjI3F6vo9UecZ
FAvrfePjkB0C6EctQ5s3WniA/4Lg6W9xo28wbTAdBgNVHQ4EFgQUBSZl4g6zL+yg
/Pd57RkTgTgElQMwHwYDVR0jBBgwFoAUBSZl4g6zL+yg/Pd57RkTgTgElQMwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgErUwiQBtMo+rbiFJZXXblLA2RQwMwPnl36UTZYnA0GgCIBTt
3/uME1CY8HWABI8yhlHEpsD0jUiUWLakvJs6gfej
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5iYjSYVbZ9YNBKHS
5uz1WHtJsiCXLJFV49bznQVLJlOhRANCAAT/2RvQnbQ0O4xRg4almMggJEfa/QGX
6DJOJpgPcFdAjI3F6vo9UecZFAvrfePjkB0C6EctQ5s3WniA/4Lg6W9x
-----END PRIVATE KEY-----`;

describeWithBroker('Publishing to RabbitMQ over TLS', () => {
  let bench: Workbench;
  let server: Server;
  let url: string;
  beforeEach(async () => {
    bench = await Workbench.open();
    server = await tlsInFrontOf(new URL(brokerUrl()));
    const secure = new URL(brokerUrl());
    url = `amqps://${secure.username}:${secure.password}@localhost:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await bench.close();
    await new Promise((resolve) => server.close(resolve));
  });

  it('trusts the file that RABBITMQ_CA_FILE names, for events and for the track queue', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paybell-tls-'));
    try {
      const file = join(folder, 'ca.pem');
      writeFileSync(file, CERTIFICATE);
      const { rabbitmqCa: ca } = configOf({ RABBITMQ_URL: url, RABBITMQ_CA_FILE: file });
      const destination = bench.destination(url, {}, { ca });
      destination.start();
      const consumer = bench.consumer(new Scripted(), {
        urls: [url],
        queue: bench.queueName('track'),
        ca,
      });

      await isReady(destination);
      await waitFor(() => consumer.health().status === 'ok');
      await bench.queue();
      await expect(deliver(destination, owed())).resolves.toEqual(DELIVERED);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses a certificate that is not trusted, and says so', async () => {
    const destination = bench.destination(url);
    destination.start();

    await waitFor(() => destination.health().detail === 'TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)');

    await expect(destination.targets()).resolves.toEqual([]);
  });
});

async function tlsInFrontOf(broker: URL): Promise<Server> {
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (near) => {
    const far = connect(Number(broker.port || 5672), broker.hostname);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return server;
}
