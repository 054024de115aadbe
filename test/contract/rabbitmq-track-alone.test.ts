import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type ChannelModel } from 'amqplib';

import { TrackChannel } from '../../src/destinations/rabbitmq/track-queue/track-channel.ts';
import { TrackHandling } from '../../src/destinations/rabbitmq/track-queue/track-handling.ts';
import { TrackIntake } from '../../src/destinations/rabbitmq/track-queue/track-intake.ts';
import { TrackRequests, type TrackOutcome, type TrackRequest } from '../../src/ports/track-requests.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { QUICK, Workbench } from './rabbitmq-workbench.ts';

const TAKEN: TrackOutcome = { kind: 'taken', isNew: true };
const HELD: TrackOutcome = { kind: 'held', reason: 'The database does not answer.', retryInMs: 60_000 };
const NEVER = new Promise<TrackOutcome>(() => undefined);
const AMQP_PORT = 5672;
const KILLER = 'killer';
const IN_HAND = 10;

/** Answers by the body. */
class Answers extends TrackRequests {
  readonly asked: string[] = [];
  readonly inHand = new Set<string>();
  /** What was in hand when each was asked for. */
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

/** A process that consumes the queue: everything of it but the memory that the test reads ends with a kill. */
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
    // As the process does at its shutdown: the end of the connection alone can lose the last acknowledgement.
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

  function send(text: string, headers: Record<string, unknown> = {}): void {
    bench.channel.sendToQueue(queue, Buffer.from(text), { persistent: true, headers });
  }

  async function waiting(name: string): Promise<number> {
    return (await bench.channel.checkQueue(name)).messageCount;
  }

  describe.each(['quorum', 'classic'])('of a %s queue', (type) => {
    it('and ends the process each time is rejected after three tries, and takes no neighbour along', async () => {
      await declare(type);
      const neighbours = Array.from({ length: 24 }, (_none, index) => `n-${index}`);
      for (const text of [...neighbours.slice(0, 4), KILLER, ...neighbours.slice(4)]) send(text);
      const lives: Answers[] = [];
      /** After the first life, in which none came to an end. */
      const taken = (): string[] =>
        lives.slice(1).flatMap(({ asked }) => asked.filter((body) => body !== KILLER));
      const isOver = async (): Promise<boolean> =>
        taken().length >= neighbours.length &&
        (await waiting(`${queue}.rejected`)) === 1 &&
        (await waiting(queue)) === 0;
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
        // Asked only now and then: what was acknowledged before the kill has time to get through.
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
      expect(await waiting(queue)).toBe(0);
    });
  });

  it('waits for what is being committed, sends back what has to wait, and is tried alone', async () => {
    await declare('quorum');
    let commit!: (outcome: TrackOutcome) => void;
    let isAway = true;
    const requests = new Answers((body) => {
      if (body === 'slow') return new Promise((resolve) => (commit = resolve));
      return body === 'held' && isAway ? HELD : TAKEN;
    });
    const life = await Life.begin(bench, queue, requests);
    send('slow');
    send('held');
    await waitFor(() => requests.asked.length === 2);
    const suspects = ['s-1', 's-2', 's-3'];
    for (const text of suspects) send(text, { 'x-paybell-deliveries': 1 });
    // What waits is asked for again only a minute later, unless it is sent back.
    await waitFor(async () => requests.inHand.size === 1 && (await waiting(queue)) >= suspects.length);
    expect(requests.asked.filter((body) => suspects.includes(body))).toEqual([]);
    isAway = false;
    commit(TAKEN);
    await waitFor(() => suspects.every((text) => requests.asked.includes(text)), { what: 'all of them' });
    for (const text of suspects) expect(requests.company.get(text)).toEqual([]);
    await waitFor(() => requests.asked.lastIndexOf('held') > requests.asked.indexOf('slow') + 1);
    await waitFor(async () => (await waiting(queue)) === 0);
    await life.end();
    expect(await waiting(queue)).toBe(0);
  });
});
