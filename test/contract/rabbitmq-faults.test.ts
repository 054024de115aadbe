import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

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
  Scripted,
  Workbench,
} from './rabbitmq-workbench.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import type { Failed } from '../../src/ports/deliveries.ts';
import type { TrackOutcome } from '../../src/ports/track-requests.ts';

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
    expect(await woken).toBe(true);
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

  it('leaves a silent connection that does not confirm an event which is published alone, too', async () => {
    const destination = await bench.ready(url, { confirmMs: 500, closeMs: 300 });
    const events = [owed(), owed()] as const;
    for (const event of events) {
      await bench.channel.deleteExchange(bench.exchange);
      await expect(deliver(destination, event)).resolves.toMatchObject({ failure: 'broker_refused' });
      await isReady(destination);
    }
    await bench.queue();
    await expect(deliver(destination, events[0])).resolves.toEqual(DELIVERED);
    proxy.freeze();

    await expect(deliver(destination, events[1])).resolves.toEqual(HELD);

    await isNotReady(destination);
    proxy.heal();
    await deliverUntilDelivered(destination, events[1]);
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

    const [refused, held] = await Promise.all([deliver(destination, owed()), deliver(destination, owed())]);
    expect(refused).toMatchObject({ kind: 'failed', failure: 'broker_refused' });
    expect(String((refused as Failed).trace?.excerpt)).toMatch(
      /^NOT_FOUND - no exchange '.*' in vhost '\/'$/,
    );
    expect(held).toEqual(HELD);
    await isReady(destination);

    const messages = await bench.consume(await bench.queue());
    await expect(deliver(destination, owed())).resolves.toEqual(DELIVERED);
    await waitFor(() => messages.length === 1);
    expect(proxy.accepted).toBe(1);
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

describeWithBroker('Publishing to a RabbitMQ that blocks its publishers or falls silent', () => {
  let bench: Workbench;
  let broker: BlockingBroker;
  beforeEach(async () => {
    bench = await Workbench.open();
    broker = await BlockingBroker.start();
  });
  afterEach(async () => {
    await bench.close();
    await broker.close();
  });

  it('has no target while blocked, says so in health, and wakes the dispatcher when it goes on', async () => {
    const destination = await bench.ready(broker.url);
    broker.block('low on memory');
    await isNotReady(destination);

    expect(destination.health()).toEqual({ status: 'degraded', detail: 'blocked by the broker' });
    await expect(deliver(destination, owed())).resolves.toEqual(HELD);
    expect(bench.logged.join('\n')).toContain('RabbitMQ blocks publishing (low on memory)');

    await bench.wakeSignals.of('rabbitmq').wait(0, new AbortController().signal);
    const woken = bench.wakeSignals.of('rabbitmq').wait(20_000, new AbortController().signal);
    broker.unblock();
    expect(await woken).toBe(true);
    await isReady(destination);
    expect(destination.health()).toEqual({ status: 'ok' });
  });

  it('does not send an event again that is still on its way from before the block', async () => {
    const messages = await bench.consume(await bench.queue());
    const destination = await bench.ready(broker.url, { confirmMs: 300 });
    const delivery = owed();
    broker.block('low on memory');
    const outcome = deliver(destination, delivery);
    await isNotReady(destination);
    await expect(outcome).resolves.toEqual(HELD);

    const again = waitFor(async () => (await destination.targets()).length > 0, { everyMs: 0 }).then(() =>
      deliver(destination, delivery),
    );
    broker.unblock(200);

    await expect(again).resolves.toEqual(DELIVERED);
    await deliver(destination, owed());
    await waitFor(() => messages.length === 2);
    expect(messages[0]?.properties.messageId).toBe(delivery.eventId);
    expect(messages[1]?.properties.messageId).not.toBe(delivery.eventId);
  });

  it('counts what is unconfirmed from before the block: never more than 200 are on their way', async () => {
    const messages = await bench.consume(await bench.queue());
    const destination = await bench.ready(broker.url, { confirmMs: 2_000 });
    const before = Array.from({ length: 200 }, () => owed());
    broker.block('low on memory');
    const outcomes = before.map((delivery) => deliver(destination, delivery));
    await isNotReady(destination);
    await Promise.all(outcomes);

    broker.unblock(300);
    await isReady(destination);
    const another = owed();
    await expect(deliver(destination, another)).resolves.toEqual(HELD);
    await expect(deliver(destination, before[0] ?? another)).resolves.toEqual(DELIVERED);

    await waitFor(() => messages.length === 200);
    await expect(deliver(destination, another)).resolves.toEqual(DELIVERED);
    await waitFor(() => messages.length === 201);
    expect(messages.at(-1)?.properties.messageId).toBe(another.eventId);
  });

  it('keeps a track message that is to be rejected until the broker takes the copy, on the same channel', async () => {
    const queue = bench.queueName('track');
    const requests = new Scripted();
    let reject!: (outcome: TrackOutcome) => void;
    requests.answer = () => new Promise((resolve) => (reject = resolve));
    const consumer = bench.consumer(requests, { queue, urls: [broker.url] }, { confirmMs: 200 });
    await waitFor(() => consumer.health().status === 'ok');
    bench.channel.sendToQueue(queue, Buffer.from('no JSON'));
    await waitFor(() => requests.asked.length === 1);
    broker.block('low on memory');
    await waitFor(() => bench.logged.some((line) => line.includes('blocks publishing (low on memory)')));
    reject({ kind: 'rejected', code: 'malformed_json', reason: 'It is no JSON.' });
    await expect(waitFor(() => consumer.health().status !== 'ok', { timeoutMs: 1_000 })).rejects.toThrow(
      'in vain',
    );

    broker.unblock();

    const rejected = await bench.consume(`${queue}.rejected`);
    await waitFor(() => rejected.length === 1);
    expect(requests.asked).toHaveLength(1);
  });

  it('finds the event for which the broker closes the whole connection, and lets the others pass', async () => {
    const troubles = new Set<string | undefined>();
    await bench.queue();
    const destination = await bench.ready(broker.url);
    broker.closeOn('poison', 501, 'FRAME_ERROR - too large');
    const poison = owed({ body: '{"poison":1}' });
    const others = Array.from({ length: 40 }, () => owed());
    const watch = setInterval(() => troubles.add(destination.trouble()?.problem), 5);
    await Promise.all([poison, ...others].map((event) => deliver(destination, event)));
    await isReady(destination);
    // Suspected events are published one by one; at most 20 of them wait for their turn.
    const outcomes = await Promise.all(others.map((event) => deliver(destination, event)));
    expect(outcomes).toEqual(others.map((_, index) => (index < 20 ? DELIVERED : HELD)));

    const refused = waitFor(async () => {
      await isReady(destination);
      const outcome = await deliver(destination, poison);
      return outcome.kind === 'failed' && String(outcome.trace?.excerpt);
    });
    await Promise.all(others.map((event) => deliverUntilDelivered(destination, event)));

    expect(await refused).toBe('FRAME_ERROR - too large');
    expect(destination.health().detail).toContain('FRAME_ERROR - too large');
    await deliverUntilDelivered(destination, owed());
    clearInterval(watch);
    expect(troubles).toEqual(new Set([undefined, 'refuses']));
  });

  it('leaves at once when it is closed while blocked', async () => {
    const destination = await bench.ready(broker.url);
    broker.block('low on disk');
    await isNotReady(destination);

    const startedAt = performance.now();
    await destination.close();

    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await expect(destination.targets()).resolves.toEqual([]);
  });

  it('notices by its heartbeat that the broker fell silent, even with nothing to publish', async () => {
    const destination = await bench.ready(`${broker.url}?heartbeat=1`);

    broker.fallSilent();

    await isNotReady(destination);
    expect(destination.health().detail).toBe('no heartbeat');
  });
});

/**
 * A proxy before the real broker that simulates a memory alarm: it sends `blocked`, reads nothing more, and then sends
 * `unblocked`.
 */
class BlockingBroker {
  private readonly pairs = new Map<Socket, Socket>();
  private constructor(private readonly server: Server) {}

  static async start(): Promise<BlockingBroker> {
    const target = new URL(brokerUrl());
    const server = createServer();
    const broker = new BlockingBroker(server);
    server.on('connection', (near) => {
      const far = connect(Number(target.port || 5672), target.hostname);
      broker.pairs.set(near, far);
      near.on('error', () => undefined).on('close', () => (broker.pairs.delete(near), far.destroy()));
      far.on('error', () => undefined).on('close', () => near.destroy());
      near.pipe(far);
      far.pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return broker;
  }

  get url(): string {
    const url = new URL(brokerUrl());
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  block(reason: string): void {
    const text = Buffer.from(reason);
    for (const [near, far] of this.pairs) {
      near.unpipe(far);
      near.write(connectionFrame(60, Buffer.concat([Buffer.from([text.length]), text])));
    }
  }

  unblock(readAfterMs = 0): void {
    for (const [near, far] of this.pairs) {
      near.write(connectionFrame(61, Buffer.alloc(0)));
      setTimeout(() => near.pipe(far), readAfterMs);
    }
  }

  /** Closes the connection that sends this text, like a broker that does not accept a frame. */
  closeOn(text: string, code: number, reply: string): void {
    const [start, end] = [Buffer.alloc(3), Buffer.alloc(4)];
    start.writeUInt16BE(code, 0);
    start.writeUInt8(reply.length, 2);
    const frame = connectionFrame(50, Buffer.concat([start, Buffer.from(reply), end]));
    const watch = (near: Socket): void =>
      void near.on('data', (chunk: Buffer) => chunk.includes(text) && near.write(frame));
    for (const near of this.pairs.keys()) watch(near);
    this.server.on('connection', watch);
  }

  /** Goes on reading, so that the broker has no reason to end the connection, and answers nothing. */
  fallSilent(): void {
    for (const [near, far] of this.pairs) far.unpipe(near).resume();
  }

  async close(): Promise<void> {
    for (const near of this.pairs.keys()) near.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A method of AMQP's class `connection`, on channel 0. */
function connectionFrame(method: number, fields: Buffer): Buffer {
  const payload = Buffer.concat([Buffer.from([0, 10, 0, method]), fields]);
  const header = Buffer.alloc(7);
  header.writeUInt8(1, 0);
  header.writeUInt32BE(payload.length, 3);
  return Buffer.concat([header, payload, Buffer.from([0xce])]);
}
