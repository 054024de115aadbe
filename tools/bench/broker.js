/** An exchange with one durable queue that gets every event; null where no RabbitMQ answers. */
import { connect } from 'amqplib';

import { isReachable } from './server.js';

const LOCAL_URL = 'amqp://guest:guest@127.0.0.1:5672';

export class Broker {
  /** @param {string} url @param {import('amqplib').ChannelModel} model @param {import('amqplib').Channel} channel */
  constructor(url, model, channel) {
    this.url = url;
    this.model = model;
    this.channel = channel;
    this.exchange = `paybell_bench_${process.pid}_${Date.now().toString(36)}`;
    this.queue = this.exchange;
  }

  static async find() {
    const url = process.env['TEST_RABBITMQ_URL'] ?? LOCAL_URL;
    const { hostname, port } = new URL(url);
    if (!(await isReachable({ host: hostname, port: Number(port || 5_672) }))) return null;
    const model = await connect(url);
    model.on('error', () => undefined);
    const broker = new Broker(url, model, await model.createChannel());
    await broker.declare();
    return broker;
  }

  get environment() {
    return { RABBITMQ_URL: this.url, RABBITMQ_EXCHANGE: this.exchange };
  }

  version() {
    return this.model.connection.serverProperties['version'];
  }

  async declare() {
    await this.channel.assertExchange(this.exchange, 'topic', { durable: true });
    await this.channel.assertQueue(this.queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    await this.channel.bindQueue(this.queue, this.exchange, '#');
  }

  async queued() {
    return (await this.channel.checkQueue(this.queue)).messageCount;
  }

  async empty() {
    await this.channel.purgeQueue(this.queue);
  }

  async stop() {
    await this.channel.deleteQueue(this.queue);
    await this.channel.deleteExchange(this.exchange);
    await this.model.close();
  }
}
