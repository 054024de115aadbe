import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import {
  deliver,
  deliverUntilDelivered,
  isNotReady,
  isReady,
  owed,
  Workbench,
} from './rabbitmq-workbench.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';

const HELD = { kind: 'held', retryInMs: 250 };
const DELIVERED = { kind: 'delivered', httpStatus: null, isRouted: true };
const AMQP_PORT = 5672;

describeWithBroker('Publishing to a RabbitMQ that fails', () => {
  let bench: Workbench;
  let proxy: TcpProxy;
  let url: string;
  beforeEach(async () => {
    bench = await Workbench.open();
    proxy = await TcpProxy.inFrontOf(brokerUrl(), AMQP_PORT);
    url = proxy.through(brokerUrl());
  });
  afterEach(async () => {
    await bench.close();
    await proxy.close();
  });

  it('connects when the broker appears that was down at start', async () => {
    proxy.cut();
    const destination = bench.destination(url);
    destination.start();
    await waitFor(() => destination.health().detail === 'the connection was reset');
    await expect(destination.targets()).resolves.toEqual([]);

    proxy.heal();

    await isReady(destination);
    expect(destination.health()).toEqual({ status: 'ok' });
  });

  it('holds what was in flight when the connection is cut, and delivers it after', async () => {
    const messages = await bench.consume(await bench.queue());
    const destination = await bench.ready(url);
    proxy.freeze();
    const deliveries = Array.from({ length: 50 }, () => owed());
    const outcomes = deliveries.map((delivery) => deliver(destination, delivery));

    proxy.cut();

    await expect(Promise.all(outcomes)).resolves.toEqual(outcomes.map(() => HELD));
    await expect(destination.targets()).resolves.toEqual([]);
    const woken = bench.wakeSignals.of('rabbitmq').wait(20_000, new AbortController().signal);
    proxy.heal();
    await woken;
    await Promise.all(deliveries.map((delivery) => deliverUntilDelivered(destination, delivery)));
    const ids = new Set(deliveries.map((delivery) => delivery.eventId));
    await waitFor(() => new Set(messages.map((message) => message.properties.messageId)).size === 50);
    expect(messages.every((message) => ids.has(message.properties.messageId))).toBe(true);
  });

  it('loses nothing and keeps the order of each payment while the connection is cut again and again', async () => {
    const messages = await bench.consume(await bench.queue());
    const destination = await bench.ready(url);
    const isDone = { value: false };
    const faults = (async () => {
      for (let round = 0; round < 5 && !isDone.value; round += 1) {
        await waitFor(() => messages.length > (round + 1) * 100);
        proxy.resetAll();
      }
    })();

    const lanes = Array.from({ length: 20 }, async () => {
      const quoteId = randomUUID();
      for (let sequence = 1; sequence <= 50; sequence += 1)
        await deliverUntilDelivered(destination, owed({ quoteId, sequence }));
      return quoteId;
    });
    const quoteIds = await Promise.all(lanes);
    isDone.value = true;
    await faults;

    const arrived = (): Set<unknown> => new Set(messages.map((message) => message.properties.messageId));
    await waitFor(() => arrived().size === 1_000, { what: 'every event to arrive' });
    for (const quoteId of quoteIds) {
      const seen = messages
        .filter((message) => message.properties.headers?.['quote_id'] === quoteId)
        .map((message) => Number(message.properties.headers?.['sequence']));
      expect([...new Set(seen)]).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    }
  });

  it('holds within the time limit what a silent connection does not confirm, and leaves that connection', async () => {
    const destination = await bench.ready(url, { confirmMs: 500, closeMs: 300 });
    await bench.queue();
    proxy.freeze();
    const startedAt = performance.now();

    await expect(deliver(destination, owed())).resolves.toEqual(HELD);

    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await isNotReady(destination);
    expect(destination.health().detail).toBe('no confirm within 0.5 s');
    proxy.heal();
    await isReady(destination);
    await waitFor(() => proxy.open === 1, { what: 'the silent connection to be left' });
    await expect(deliver(destination, owed())).resolves.toEqual(DELIVERED);
  });

  it('gives a broker up that accepts the connection and says nothing', async () => {
    proxy.freeze();
    const destination = bench.destination(url, { setupMs: 200 });
    destination.start();

    await waitFor(() => destination.health().detail === 'no answer in time');

    await waitFor(() => proxy.accepted > 1, { what: 'another connection' });
  });

  it('says that the exchange exists with other arguments, once, and recovers when it is gone', async () => {
    await bench.channel.assertExchange(bench.exchange, 'fanout', { durable: true });
    const destination = bench.destination(url);
    destination.start();

    await waitFor(() => proxy.accepted > 2);

    const { status, detail } = destination.health();
    expect(status).toBe('degraded');
    expect(detail).toContain(`the exchange "${bench.exchange}" exists with other arguments`);
    expect(detail).toContain("current is 'fanout'");
    expect(bench.logged.filter((line) => line.includes('exists with other arguments'))).toHaveLength(1);
    await expect(destination.targets()).resolves.toEqual([]);
    await bench.channel.deleteExchange(bench.exchange);
    await isReady(destination);
  });

  it('declares the exchange again when it is deleted under it, on the same connection', async () => {
    const destination = await bench.ready(url);
    await bench.channel.deleteExchange(bench.exchange);

    await expect(deliver(destination, owed())).resolves.toEqual(HELD);
    await isReady(destination);

    const messages = await bench.consume(await bench.queue());
    await expect(deliver(destination, owed())).resolves.toEqual(DELIVERED);
    await waitFor(() => messages.length === 1);
    expect(proxy.accepted).toBe(1);
  });

  it('never shows the password or the address, in no log line and no detail', async () => {
    const secret = new URL(url);
    secret.password = 'p%C3%A4ss%20word';
    const destination = bench.destination(secret.href);
    destination.start();
    await waitFor(() => destination.health().detail === 'user name or password refused');
    proxy.cut();
    await waitFor(() => destination.health().detail === 'the connection was reset');

    const shown = bench.logged.join('\n');
    expect(shown).toContain('user name or password refused');
    for (const hidden of ['p%C3%A4ss', 'päss', 'word@', proxy.host, String(proxy.port)])
      expect(shown).not.toContain(hidden);
  });

  it('stops while it dials, while it waits, and when the connection is silent', async () => {
    proxy.freeze();
    const dialling = bench.destination(url);
    dialling.start();
    await waitFor(() => proxy.accepted === 1);
    await dialling.close();

    proxy.heal();
    const silent = await bench.ready(url, { drainMs: 200, closeMs: 200 });
    proxy.freeze();
    const outcome = deliver(silent, owed());
    await silent.close();
    await expect(outcome).resolves.toEqual(HELD);

    proxy.cut();
    const waiting = bench.destination(url);
    waiting.start();
    await waitFor(() => waiting.health().detail === 'the connection was reset');
    await waiting.close();
    expect(proxy.open).toBe(0);
    await expect(waiting.targets()).resolves.not.toContain(EXCHANGE_ID);
  });
});
