import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';
import { connect, type Channel, type ChannelModel, type ConsumeMessage, type Options } from 'amqplib';

import { RABBITMQ_TIMING, type RabbitmqTiming } from '../../src/destinations/rabbitmq/rabbitmq-timing.ts';
import {
  rejectedQueueOf,
  type TrackOutcome,
  type TrackRequest,
  TrackRequests,
} from '../../src/ports/track-requests.ts';
import {
  TrackConsumer,
  type TrackOptions,
} from '../../src/destinations/rabbitmq/track-queue/track-consumer.ts';
import {
  RabbitmqDestination,
  type RabbitmqOptions,
} from '../../src/destinations/rabbitmq/rabbitmq-destination.ts';
import type { DueDelivery, Outcome } from '../../src/ports/deliveries.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { brokerUrl } from '../support/broker.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';

/** The production timing, except for the waits between attempts. */
export const QUICK: RabbitmqTiming = {
  ...RABBITMQ_TIMING,
  reconnectFromMs: 50,
  reconnectUpToMs: 300,
  trackRetryFromMs: 20,
  trackRetryUpToMs: 100,
};

export const TAKEN: TrackOutcome = { kind: 'taken', isNew: true };

const EXCHANGE = { idOf: () => Promise.resolve(EXCHANGE_ID) };

/** Answers as the test says, and keeps the requests. */
export class Scripted extends TrackRequests {
  readonly asked: TrackRequest[] = [];
  inHand = 0;
  mostInHand = 0;
  answer: (request: TrackRequest) => TrackOutcome | Promise<TrackOutcome> = () => TAKEN;

  async takeRequest(request: TrackRequest): Promise<TrackOutcome> {
    this.asked.push(request);
    this.inHand += 1;
    this.mostInHand = Math.max(this.mostInHand, this.inHand);
    try {
      return await this.answer(request);
    } finally {
      this.inHand -= 1;
    }
  }

  get texts(): string[] {
    return this.asked.map(({ body }) => Buffer.from(body).toString());
  }
}

/** A foreign consumer with an exchange of its own, and the destinations made for it; `close` removes all of them. */
export class Workbench {
  readonly exchange = `paybell-test-${randomUUID()}`;
  readonly wakeSignals = new DeliverySignals();
  readonly meter = new FakeMeter();
  readonly logged: string[] = [];
  private readonly queues: string[] = [];
  private readonly destinations: RabbitmqDestination[] = [];
  private readonly consumers: TrackConsumer[] = [];

  private constructor(
    private readonly model: ChannelModel,
    readonly channel: Channel,
  ) {}

  static async open(url = brokerUrl()): Promise<Workbench> {
    const model = await connect(url);
    model.on('error', () => undefined);
    const bench = new Workbench(model, await model.createChannel());
    const keep = (message: unknown): void => void bench.logged.push(String(message));
    Logger.overrideLogger({ log: keep, warn: keep, error: keep, debug: keep });
    return bench;
  }

  /** Returns a destination that is not started yet. */
  destination(
    url = brokerUrl(),
    timing: Partial<RabbitmqTiming> = {},
    more: Partial<RabbitmqOptions> = {},
  ): RabbitmqDestination {
    const options = { urls: [url], exchange: this.exchange, ...more };
    const made = new RabbitmqDestination(options, EXCHANGE, this.wakeSignals, this.meter, {
      ...QUICK,
      ...timing,
    });
    this.destinations.push(made);
    return made;
  }

  async ready(url = brokerUrl(), timing: Partial<RabbitmqTiming> = {}): Promise<RabbitmqDestination> {
    const made = this.destination(url, timing);
    made.start();
    await isReady(made);
    return made;
  }

  /** A name; `close` removes the queue of that name, whoever declared it. */
  queueName(word: string): string {
    const name = `${this.exchange}.${word}`;
    this.queues.push(name, rejectedQueueOf(name));
    return name;
  }

  /** A started consumer, which consumes the queue unless it cannot. */
  consumer(
    requests: TrackRequests,
    options: Partial<TrackOptions> & Pick<TrackOptions, 'queue'>,
    timing: Partial<RabbitmqTiming> = {},
  ): TrackConsumer {
    const all = { urls: [brokerUrl()], ...options };
    const made = new TrackConsumer(all, requests, this.meter, new FakeDatabaseHealth(), {
      ...QUICK,
      ...timing,
    });
    this.consumers.push(made);
    made.start();
    return made;
  }

  /** A queue of its own, bound to the exchange. */
  async queue(patterns: readonly string[] = ['#'], options: Options.AssertQueue = {}): Promise<string> {
    const name = `${this.exchange}.${this.queues.length}`;
    this.queues.push(name);
    await this.channel.assertExchange(this.exchange, 'topic', { durable: true });
    await this.channel.assertQueue(name, { durable: true, ...options });
    for (const pattern of patterns) await this.channel.bindQueue(name, this.exchange, pattern);
    return name;
  }

  /** The messages that arrive in the queue, in order; the list grows. */
  async consume(queue: string): Promise<ConsumeMessage[]> {
    const messages: ConsumeMessage[] = [];
    const take = (message: ConsumeMessage | null): void => void (message && messages.push(message));
    await this.channel.consume(queue, take, { noAck: true });
    return messages;
  }

  send(queue: string, text: string, options: Options.Publish = {}): void {
    this.channel.sendToQueue(queue, Buffer.from(text), { persistent: true, ...options });
  }

  /** How many messages are ready; delivered messages without an acknowledgement do not count. */
  async waiting(queue: string): Promise<number> {
    return (await this.channel.checkQueue(queue)).messageCount;
  }

  async close(): Promise<void> {
    await Promise.all([...this.destinations, ...this.consumers].map((made) => made.close()));
    for (const queue of this.queues) await this.channel.deleteQueue(queue);
    await this.channel.deleteExchange(this.exchange);
    await this.model.close();
  }
}

export async function isReady(destination: RabbitmqDestination): Promise<void> {
  await waitFor(async () => (await destination.targets()).length > 0, {
    what: 'the exchange to be a target',
  });
}

export async function isNotReady(destination: RabbitmqDestination): Promise<void> {
  await waitFor(async () => (await destination.targets()).length === 0, { what: 'no target to be left' });
}

export function owed(changes: Partial<DueDelivery> = {}): DueDelivery {
  return {
    id: randomUUID(),
    token: randomUUID(),
    destinationId: EXCHANGE_ID,
    quoteId: '5af8532c-5bf4-45c2-b099-1b36e96e91a3',
    provider: 'http',
    orderId: 'A-1001',
    eventId: randomUUID(),
    type: 'payment.completed',
    sequence: 4,
    time: new Date('2026-11-20T12:00:00.987Z'),
    body: '{"specversion":"1.0"}',
    attempts: 0,
    retries: 0,
    isUnscheduled: false,
    resumeInMs: null,
    traceparent: null,
    ...changes,
  };
}

export function deliver(destination: RabbitmqDestination, delivery: DueDelivery): Promise<Outcome> {
  return destination.deliver(delivery, new AbortController().signal);
}

/** Delivers like the dispatcher: tries again while there is a target. */
export async function deliverUntilDelivered(
  destination: RabbitmqDestination,
  delivery: DueDelivery,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (outcomes.at(-1)?.kind !== 'delivered') {
    await isReady(destination);
    const outcome = await deliver(destination, delivery);
    outcomes.push(outcome);
    if (outcome.kind === 'held') await pause(20);
  }
  return outcomes;
}
