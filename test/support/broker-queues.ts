import { randomBytes } from 'node:crypto';

import { afterAll } from '@jest/globals';
import { connect, type ConfirmChannel, type ConsumeMessage, type Options } from 'amqplib';

import { waitFor } from '../../tools/testkit/wait-for.ts';

const opened: BrokerQueues[] = [];
afterAll(async () => {
  for (const queues of opened.splice(0)) await queues.close();
});

/** Another service at the broker. Its queues have names of their own, and are deleted with the test file. */
export class BrokerQueues {
  private readonly named: string[] = [];

  private constructor(
    private readonly disconnect: () => Promise<void>,
    readonly channel: ConfirmChannel,
  ) {}

  static async open(url: string): Promise<BrokerQueues> {
    const connection = await connect(url);
    connection.on('error', () => undefined);
    const channel = await connection.createConfirmChannel();
    const queues = new BrokerQueues(() => connection.close(), channel);
    opened.push(queues);
    return queues;
  }

  /** A unique name; the queue of this name, and its `.rejected`, are deleted at the end. */
  name(word: string): string {
    const name = `paybell_e2e_${word}_${randomBytes(5).toString('hex')}`;
    this.named.push(name, `${name}.rejected`);
    return name;
  }

  async send(queue: string, body: unknown, options: Options.Publish = {}): Promise<void> {
    const content = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    this.channel.sendToQueue(queue, content, { persistent: true, ...options });
    await this.channel.waitForConfirms();
  }

  /** The messages that arrive in the queue; the list grows. */
  async consume(queue: string): Promise<ConsumeMessage[]> {
    const messages: ConsumeMessage[] = [];
    const take = (message: ConsumeMessage | null): void => void (message && messages.push(message));
    await this.channel.consume(queue, take, { noAck: true });
    return messages;
  }

  /** Takes `count` messages out of the queue, and leaves later messages there. */
  async take(queue: string, count: number): Promise<ConsumeMessage[]> {
    const messages: ConsumeMessage[] = [];
    const take = (message: ConsumeMessage | null): void => void (message && messages.push(message));
    const { consumerTag } = await this.channel.consume(queue, take, { noAck: true });
    await waitFor(() => messages.length >= count, { what: `${count} messages in ${queue}` });
    await this.channel.cancel(consumerTag);
    return messages;
  }

  async count(queue: string): Promise<number> {
    return (await this.channel.checkQueue(queue)).messageCount;
  }

  async close(): Promise<void> {
    for (const name of this.named) await this.channel.deleteQueue(name);
    await this.disconnect();
  }
}
