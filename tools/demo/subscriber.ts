import { connect, type Channel, type ChannelModel, type ConsumeMessage } from 'amqplib';

import { readEvent, type ArrivedEvent } from './arrived-event.ts';

const USUAL_BROKER = 'amqp://guest:guest@127.0.0.1:5672';
const CONNECT_MS = 1_500;

/** An internal service that listens on RabbitMQ: a queue of its own on the demo's own exchange. */
export class Subscriber {
  private constructor(
    readonly url: string,
    readonly exchange: string,
    private readonly connection: ChannelModel,
    private readonly channel: Channel,
  ) {}

  /** Null where no broker can be reached. */
  static async open(exchange: string, url = process.env['RABBITMQ_URL']): Promise<Subscriber | null> {
    const broker = url === undefined || url === '' ? USUAL_BROKER : url;
    const connection = await connect(broker, { timeout: CONNECT_MS }).catch(() => null);
    if (connection === null) return null;
    // A later failure shows as messages that do not arrive.
    connection.on('error', () => undefined);
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await channel.assertExchange(exchange, 'topic', { durable: true });
    return new Subscriber(broker, exchange, connection, channel);
  }

  /** The broker's address without the password. */
  get place(): string {
    const { hostname, port } = new URL(this.url);
    return `${hostname}:${port === '' ? '5672' : port}`;
  }

  async listen(onEvent: (event: ArrivedEvent) => void): Promise<void> {
    const { queue } = await this.channel.assertQueue('', { exclusive: true, autoDelete: true });
    await this.channel.bindQueue(queue, this.exchange, '#');
    await this.channel.consume(queue, (message: ConsumeMessage | null) => {
      if (message === null) return;
      onEvent(readEvent(message.content.toString('utf8')));
      this.channel.ack(message);
    });
  }

  async close(): Promise<void> {
    try {
      await this.channel.deleteExchange(this.exchange);
    } finally {
      await this.connection.close();
    }
  }
}
