import { connect, type ChannelModel, type ConsumeMessage } from 'amqplib';
import { afterAll } from '@jest/globals';

import type { PublishedEvent } from './published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const opened: Subscriber[] = [];
afterAll(async () => {
  for (const subscriber of opened.splice(0)) await subscriber.close();
});

/** A consumer of a RabbitMQ exchange that has its own durable queue and keeps every message. */
export class Subscriber {
  readonly messages: ConsumeMessage[] = [];
  private connection: ChannelModel | null = null;

  private constructor(
    private readonly url: string,
    private readonly exchange: string,
  ) {}

  static async open(url: string, exchange: string): Promise<Subscriber> {
    const subscriber = new Subscriber(url, exchange);
    opened.push(subscriber);
    await subscriber.reconnect();
    return subscriber;
  }

  get events(): PublishedEvent[] {
    return this.messages.map(({ content }) => JSON.parse(content.toString('utf8')) as PublishedEvent);
  }

  /** Connects, also again after an outage of the broker, and consumes the messages in its queue. */
  async reconnect(): Promise<void> {
    const connection = await waitFor(() => connect(this.url), { what: 'the broker' });
    this.connection = connection;
    connection.on('error', () => undefined);
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await channel.assertExchange(this.exchange, 'topic', { durable: true });
    await channel.assertQueue(this.queue, { durable: true });
    await channel.bindQueue(this.queue, this.exchange, '#');
    await channel.consume(this.queue, (message) => {
      if (message === null) return;
      this.messages.push(message);
      channel.ack(message);
    });
  }

  /** Removes the queue and the exchange. */
  async close(): Promise<void> {
    try {
      const channel = await this.connection?.createChannel();
      await channel?.deleteQueue(this.queue);
      await channel?.deleteExchange(this.exchange);
      await this.connection?.close();
    } catch {
      // A private broker ends together with its queues.
    }
  }

  private get queue(): string {
    return `${this.exchange}.subscriber`;
  }
}
