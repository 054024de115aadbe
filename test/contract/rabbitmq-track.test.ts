import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChannelModel, connect, type ConsumeMessage } from 'amqplib';

import type { RabbitmqTiming } from '../../src/destinations/rabbitmq/rabbitmq-timing.ts';
import type { TrackConsumer } from '../../src/destinations/rabbitmq/track-queue/track-consumer.ts';
import { type TrackOutcome, type TrackRequest, TrackRequests } from '../../src/ports/track-requests.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { QUICK, Scripted, TAKEN, Workbench } from './rabbitmq-workbench.ts';
import { TrackChannel } from '../../src/destinations/rabbitmq/track-queue/track-channel.ts';
import { TrackHandling } from '../../src/destinations/rabbitmq/track-queue/track-handling.ts';
import { TrackIntake } from '../../src/destinations/rabbitmq/track-queue/track-intake.ts';

const HELD: TrackOutcome = { kind: 'held', reason: 'The database does not answer.', retryInMs: null };
const UNKNOWN: TrackOutcome = { kind: 'rejected', code: 'unknown_payment', reason: 'Nobody knows it.' };
const AMQP_PORT = 5672;

describeWithBroker('The track queue', () => {
  let bench: Workbench;
  let queue: string;
  let requests: Scripted;
  beforeEach(async () => {
    bench = await Workbench.open();
    queue = bench.queueName('track');
    requests = new Scripted();
  });
  afterEach(() => bench.close());

  async function consuming(timing: Partial<RabbitmqTiming> = {}, url = brokerUrl()): Promise<TrackConsumer> {
    const consumer = bench.consumer(requests, { queue, urls: [url] }, timing);
    await waitFor(() => consumer.health().status === 'ok', { what: 'the track queue to be consumed' });
    return consumer;
  }

  async function rejected(): Promise<ConsumeMessage> {
    const messages = await bench.consume(`${queue}.rejected`);
    return waitFor(() => messages[0], { what: 'a rejected message' });
  }

  it('is a durable quorum queue, as that of rejected messages, hands over the bytes with their content type, and acknowledges what was taken', async () => {
    const consumer = await consuming();
    const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
    for (const name of [queue, `${queue}.rejected`])
      await expect(bench.channel.assertQueue(name, quorum)).resolves.toMatchObject({ queue: name });
    const headers = { traceparent: 'anything', tracestate: 'vendor=1' };
    bench.send(queue, '{"quoteId":"Ä"}', { contentType: 'application/json', headers });
    bench.send(queue, '{}', { contentEncoding: 'gzip' });
    await waitFor(() => requests.asked.length === 2);
    expect(requests.texts).toEqual(['{"quoteId":"Ä"}', '{}']);
    expect(requests.asked).toMatchObject([
      { contentType: 'application/json', contentEncoding: null, traceparent: 'anything' },
      { contentType: null, contentEncoding: 'gzip', traceparent: undefined },
    ]);
    await consumer.close();
    expect(await bench.waiting(queue)).toBe(0);
    expect(bench.meter.trackTries).toEqual(['taken', 'taken']);
  });

  it('is acknowledged only once it is committed: what a lost connection interrupts comes again', async () => {
    const proxy = await TcpProxy.inFrontOf(brokerUrl(), AMQP_PORT);
    try {
      let commit!: (outcome: TrackOutcome) => void;
      requests.answer = () => new Promise((resolve) => (commit = resolve));
      const consumer = await consuming({}, proxy.through(brokerUrl()));
      bench.send(queue, '{}');
      await waitFor(() => requests.asked.length === 1);
      proxy.resetAll();
      commit(TAKEN);
      await waitFor(() => requests.asked.length === 2, { what: 'the message to come again' });
      commit(TAKEN);
      await consumer.close();
      expect(await bench.waiting(queue)).toBe(0);
    } finally {
      await proxy.close();
    }
  });

  it('has at most ten messages in hand', async () => {
    const release: (() => void)[] = [];
    requests.answer = () => new Promise((resolve) => release.push(() => resolve(TAKEN)));
    await consuming();
    for (let each = 0; each < 25; each += 1) bench.send(queue, String(each));
    await waitFor(async () => requests.inHand === 10 && (await bench.waiting(queue)) === 15);
    await waitFor(() => {
      for (const one of release.splice(0)) one();
      return requests.asked.length === 25;
    });
    expect(requests.mostInHand).toBe(10);
  });

  it('moves what will never do to the rejected ones, as it came, with code, reason and attempts', async () => {
    requests.answer = () => UNKNOWN;
    const elsewhere = await bench.queue();
    await consuming();
    bench.send(queue, '{"quoteId":"who"}', {
      contentType: 'application/json',
      messageId: 'ours-1',
      correlationId: 'c-1',
      expiration: 60_000,
      CC: elsewhere,
      headers: { trace: 'abc', nested: { a: 1 }, long: 'x'.repeat(50_000), 'x-paybell-code': 'forged' },
    });
    const { content, properties } = await rejected();
    expect(content.toString()).toBe('{"quoteId":"who"}');
    expect(properties).toMatchObject({
      contentType: 'application/json',
      messageId: 'ours-1',
      correlationId: 'c-1',
      expiration: undefined,
      deliveryMode: 2,
    });
    expect(properties.headers).toEqual({
      trace: 'abc',
      'x-paybell-code': 'unknown_payment',
      'x-paybell-reason': 'Nobody knows it.',
      'x-paybell-attempts': 1,
    });
    expect(await bench.waiting(elsewhere)).toBe(1);
    expect(bench.meter.trackTries).toEqual(['rejected']);
  });

  it('moves messages too whose headers cannot be sent again as they came', async () => {
    requests.answer = () => UNKNOWN;
    await consuming();
    const unsendable = { '!': 'double', value: -1e300 };
    for (let each = 0; each < 12; each += 1)
      bench.send(queue, '{}', { headers: { unsendable, trace: 'abc' } });
    await waitFor(async () => (await bench.waiting(`${queue}.rejected`)) === 12, {
      what: 'twelve rejected messages',
    });
    const { properties } = await rejected();
    expect(properties.headers).toMatchObject({ trace: 'abc', 'x-paybell-code': 'unknown_payment' });
    expect(properties.headers).not.toHaveProperty('unsendable');
  });

  it('lets messages wait while the database or the provider is away, however long, and rejects none', async () => {
    requests.answer = () => HELD;
    const consumer = await consuming({ trackHoldMs: 100 });
    bench.send(queue, '{"quoteId":"a"}', { messageId: 'a' });
    await waitFor(() => requests.asked.length > 12);
    requests.answer = () => TAKEN;
    await waitFor(() => bench.meter.trackTries.at(-1) === 'taken');
    await consumer.close();
    expect(await bench.waiting(queue)).toBe(0);
    expect(await bench.waiting(`${queue}.rejected`)).toBe(0);
    expect(new Set(requests.texts)).toEqual(new Set(['{"quoteId":"a"}']));
    expect(bench.logged.filter((line) => line.includes('Track messages wait'))).toHaveLength(1);
  });

  it('rejects nothing that only waits, however often the connection breaks meanwhile', async () => {
    requests.answer = () => HELD;
    const way = await TcpProxy.inFrontOf(brokerUrl(), AMQP_PORT);
    const consumer = await consuming({}, way.through(brokerUrl()));
    bench.send(queue, '{}');
    for (let cuts = 0; cuts < 5; cuts += 1) {
      const before = requests.asked.length;
      await waitFor(() => consumer.health().status === 'ok' && requests.asked.length > before + 5);
      way.cut();
      way.heal();
      await waitFor(() => consumer.health().status !== 'ok');
    }
    requests.answer = () => TAKEN;
    await waitFor(() => bench.meter.trackTries.at(-1) === 'taken');
    expect(bench.meter.trackTries).not.toContain('rejected');
    await way.close();
  });

  it('lets one message that always has to wait hold back no other for long', async () => {
    requests.answer = ({ body }) => (Buffer.from(body).toString() === 'slow' ? HELD : TAKEN);
    await consuming({ trackHoldMs: 100 });
    for (let each = 0; each < 12; each += 1) bench.send(queue, 'slow');
    bench.send(queue, 'quick');
    await waitFor(() => bench.meter.trackTries.includes('taken'));
    requests.answer = () => TAKEN;
  });

  it('ends what is in hand at a stop, and leaves what waits to others', async () => {
    let commit!: () => void;
    requests.answer = ({ body }) =>
      Buffer.from(body).toString() === 'held'
        ? HELD
        : new Promise((resolve) => (commit = () => resolve(TAKEN)));
    const consumer = await consuming({ trackRetryFromMs: 60_000, trackRetryUpToMs: 60_000 });
    bench.send(queue, 'held');
    bench.send(queue, 'slow');
    await waitFor(() => requests.asked.length === 2);
    const closed = consumer.close();
    await waitFor(async () => (await bench.waiting(queue)) === 1, { what: 'the waiting one to be put back' });
    commit();
    await closed;
    const left = await bench.consume(queue);
    await waitFor(() => left.length === 1);
    expect(left[0]?.content.toString()).toBe('held');
    expect(left[0]?.properties.headers).not.toHaveProperty('x-delivery-count');
  });

  it('tries what fails unexpectedly three times, whichever replica does, and gives no outsider the reason', async () => {
    requests.answer = () => Promise.reject(new Error('relation "payment" is corrupt'));
    const consumer = await consuming({ trackRetryFromMs: 60_000, trackRetryUpToMs: 60_000 });
    bench.send(queue, '{}');
    await waitFor(() => requests.asked.length === 1);
    await consumer.close();
    await consuming();
    const { properties } = await rejected();
    expect(requests.asked).toHaveLength(3);
    expect(properties.headers).toMatchObject({ 'x-paybell-code': 'internal', 'x-paybell-attempts': 3 });
    expect(JSON.stringify(properties)).not.toContain('corrupt');
    expect(bench.logged.join('\n')).toContain('relation "payment" is corrupt');
    expect(bench.meter.trackTries).toEqual(['failed', 'failed', 'failed', 'rejected']);
  });

  it('declares both queues again when they are deleted under it, and loses no message', async () => {
    await consuming();
    await bench.channel.deleteQueue(`${queue}.rejected`);
    requests.answer = () => UNKNOWN;
    const id = randomUUID();
    bench.send(queue, '{}', { messageId: id });
    await waitFor(() => bench.logged.some((line) => line.includes('was moved to does not exist')));
    const name = `${queue}.rejected`;
    await waitFor(() => requests.asked.length >= 2);
    await waitFor(async () => (await bench.waiting(name)) === 1);
    expect((await rejected()).properties.messageId).toBe(id);
    requests.answer = () => TAKEN;
    await bench.channel.deleteQueue(queue);
    await waitFor(() => bench.logged.some((line) => line.includes('was deleted')));
    await waitFor(() => bench.logged.filter((line) => line.includes('Consuming')).length === 3);
    bench.send(queue, '{"quoteId":"z"}');
    await waitFor(() => requests.texts.includes('{"quoteId":"z"}'));
  });
});

const HELD_FOR_LONG: TrackOutcome = {
  kind: 'held',
  reason: 'The database does not answer.',
  retryInMs: 60_000,
};
const NEVER = new Promise<TrackOutcome>(() => undefined);
const KILLER = 'killer';
const IN_HAND = 10;

/** Answers by the body. */
class Answers extends TrackRequests {
  readonly asked: string[] = [];
  readonly inHand = new Set<string>();
  /** The messages in hand when each was requested. */
  readonly company = new Map<string, string[]>();
  constructor(private readonly answer: (body: string) => TrackOutcome | Promise<TrackOutcome>) {
    super();
  }
  async takeRequest(request: TrackRequest): Promise<TrackOutcome> {
    const body = Buffer.from(request.body).toString();
    this.company.set(body, [...this.inHand]);
    this.inHand.add(body);
    this.asked.push(body);
    const outcome = await this.answer(body);
    this.inHand.delete(body);
    return outcome;
  }
}

/** A process that consumes the queue. A kill ends all of it except the memory that the test reads. */
class Life {
  private constructor(
    private readonly way: TcpProxy,
    private readonly model: ChannelModel,
    private readonly channel: TrackChannel,
    private readonly intake: TrackIntake,
  ) {}

  static async begin(bench: Workbench, queue: string, requests: TrackRequests): Promise<Life> {
    const way = await TcpProxy.inFrontOf(brokerUrl(), AMQP_PORT);
    const model = await connect(way.through(brokerUrl()));
    model.on('error', () => undefined);
    const channel = new TrackChannel(await model.createConfirmChannel(), {
      confirmMs: 10_000,
      wasBlockedSince: () => false,
    });
    const handling = new TrackHandling(queue, requests, bench.meter, QUICK);
    const intake = new TrackIntake({ queue, channel, handling, signal: new AbortController().signal });
    await intake.begin();
    return new Life(way, model, channel, intake);
  }

  kill(): Promise<void> {
    return this.way.close();
  }

  /** Everything that it did counts. */
  async end(): Promise<void> {
    await this.intake.idle();
    // Closes the channel first, like the process at its shutdown: closing only the connection can lose the last
    // acknowledgement.
    await this.channel.close();
    await this.model.close();
    await this.way.close();
  }
}

describeWithBroker('A message of the track queue that was delivered before', () => {
  let bench: Workbench;
  let queue: string;
  beforeEach(async () => {
    bench = await Workbench.open();
    queue = bench.queueName('track');
  });
  afterEach(() => bench.close());

  async function declare(type: string): Promise<void> {
    for (const name of [queue, `${queue}.rejected`])
      await bench.channel.assertQueue(name, { durable: true, arguments: { 'x-queue-type': type } });
  }

  describe.each(['quorum', 'classic'])('of a %s queue', (type) => {
    it('and ends the process each time is rejected after three tries, and takes no neighbour along', async () => {
      await declare(type);
      const neighbours = Array.from({ length: 24 }, (_none, index) => `n-${index}`);
      for (const text of [...neighbours.slice(0, 4), KILLER, ...neighbours.slice(4)]) bench.send(queue, text);
      const lives: Answers[] = [];
      /** The messages that were taken after the first life, which settled none. */
      const taken = (): string[] =>
        lives.slice(1).flatMap(({ asked }) => asked.filter((body) => body !== KILLER));
      const isOver = async (): Promise<boolean> =>
        taken().length >= neighbours.length &&
        (await bench.waiting(`${queue}.rejected`)) === 1 &&
        (await bench.waiting(queue)) === 0;
      /** Answers whether it was killed. */
      const live = async (isFirst: boolean): Promise<boolean> => {
        let isKilled = false;
        const answers: Answers = new Answers(async (body) => {
          if (body !== KILLER) return isFirst ? NEVER : TAKEN;
          if (isFirst) await waitFor(() => answers.inHand.size === IN_HAND, { what: 'ten in hand' });
          isKilled = true;
          return NEVER;
        });
        lives.push(answers);
        const life = await Life.begin(bench, queue, answers);
        // Asks only now and then, so that acknowledgements before the kill have time to arrive.
        await waitFor(async () => isKilled || (await isOver()), { what: 'every message at its end' });
        await (isKilled ? life.kill() : life.end());
        return isKilled;
      };
      for (let isFirst = true; await live(isFirst); isFirst = false);

      expect(lives.map(({ asked }) => asked.filter((body) => body === KILLER).length)).toEqual([1, 1, 1, 0]);
      for (const { company } of lives.slice(1, 3)) expect(company.get(KILLER)).toEqual([]);
      expect(taken().toSorted()).toEqual(neighbours.toSorted());
      const rejected = await bench.consume(`${queue}.rejected`);
      const message = await waitFor(() => rejected[0], { what: 'the rejected one' });
      expect([rejected.length, message.content.toString()]).toEqual([1, KILLER]);
      expect(message.properties.headers).toMatchObject({ 'x-paybell-code': 'redelivered_too_often' });
      expect(message.properties.headers).not.toHaveProperty('x-delivery-count');
      expect(await bench.waiting(queue)).toBe(0);
    });
  });

  it('waits for what is being committed, sends back what has to wait, and is tried alone', async () => {
    await declare('quorum');
    let commit!: (outcome: TrackOutcome) => void;
    let isAway = true;
    const requests = new Answers((body) => {
      if (body === 'slow') return new Promise((resolve) => (commit = resolve));
      return body === 'held' && isAway ? HELD_FOR_LONG : TAKEN;
    });
    const life = await Life.begin(bench, queue, requests);
    bench.send(queue, 'slow');
    bench.send(queue, 'held');
    await waitFor(() => requests.asked.length === 2);
    const suspects = ['s-1', 's-2', 's-3'];
    for (const text of suspects) bench.send(queue, text, { headers: { 'x-paybell-deliveries': 1 } });
    // The process asks about a waiting message again only after a minute, unless the message is sent back.
    await waitFor(async () => requests.inHand.size === 1 && (await bench.waiting(queue)) >= suspects.length);
    expect(requests.asked.filter((body) => suspects.includes(body))).toEqual([]);
    isAway = false;
    commit(TAKEN);
    await waitFor(() => suspects.every((text) => requests.asked.includes(text)), { what: 'all of them' });
    for (const text of suspects) expect(requests.company.get(text)).toEqual([]);
    await waitFor(() => requests.asked.lastIndexOf('held') > requests.asked.indexOf('slow') + 1);
    await waitFor(async () => (await bench.waiting(queue)) === 0);
    await life.end();
    expect(await bench.waiting(queue)).toBe(0);
  });
});
