import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { TrackRequests, type TrackOutcome } from '../../src/ports/track-requests.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { deliver, isNotReady, isReady, owed, Workbench } from './rabbitmq-workbench.ts';

const HELD = { kind: 'held', retryInMs: 250 };
const DELIVERED = { kind: 'delivered', httpStatus: null, isRouted: true };

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
    await woken;
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
    const requests = new RejectsLater();
    const consumer = bench.consumer(requests, { queue, urls: [broker.url] }, { confirmMs: 200 });
    await waitFor(() => consumer.health().status === 'ok');
    bench.channel.sendToQueue(queue, Buffer.from('no JSON'));
    await waitFor(() => requests.reject !== null);
    broker.block('low on memory');
    await waitFor(() => bench.logged.some((line) => line.includes('blocks publishing (low on memory)')));
    requests.reject?.();
    await expect(waitFor(() => consumer.health().status !== 'ok', { timeoutMs: 1_000 })).rejects.toThrow(
      'in vain',
    );

    broker.unblock();

    const rejected = await bench.consume(`${queue}.rejected`);
    await waitFor(() => rejected.length === 1);
    expect(requests.asked).toBe(1);
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

class RejectsLater extends TrackRequests {
  asked = 0;
  reject: (() => void) | null = null;

  takeRequest(): Promise<TrackOutcome> {
    this.asked += 1;
    return new Promise((resolve) => {
      this.reject = () => resolve({ kind: 'rejected', code: 'malformed_json', reason: 'It is no JSON.' });
    });
  }
}

/** The real broker with a memory alarm put before it: it says `blocked`, reads nothing more, and says `unblocked`. */
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

  /** Reads on, so that the broker has no reason to end the connection, and answers nothing. */
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
