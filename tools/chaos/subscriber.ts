import { connect, type ConsumeMessage } from 'amqplib';

import type { Ledger } from './ledger.ts';
import { sleep } from './readers.ts';

const PREFETCH = 50;
const AGAIN_AFTER_MS = 500;

/** A consumer of a durable quorum queue that is bound to every event. It reconnects after each failure. */
export class Subscriber {
  private isOver = false;
  private consuming: Promise<void> | null = null;
  private leave: () => void = () => undefined;

  constructor(
    private readonly url: string,
    private readonly exchange: string,
    private readonly ledger: Ledger,
  ) {}

  /** Resolves when the queue exists: no later message may be missing. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.consuming = this.consume(resolve);
    });
  }

  async close(): Promise<void> {
    this.isOver = true;
    this.leave();
    await this.consuming;
  }

  private async consume(onBound: () => void): Promise<void> {
    while (!this.isOver) {
      await this.once(onBound).catch(() => undefined);
      if (!this.isOver) await sleep(AGAIN_AFTER_MS);
    }
  }

  private async once(onBound: () => void): Promise<void> {
    const connection = await connect(`${this.url}?heartbeat=5`);
    const ended = new Promise<void>((resolve) => {
      this.leave = resolve;
      connection.once('close', () => resolve()).on('error', () => resolve());
    });
    try {
      const channel = await connection.createChannel();
      channel.on('error', () => this.leave());
      await channel.assertExchange(this.exchange, 'topic', { durable: true });
      const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
      await channel.assertQueue(`${this.exchange}.events`, quorum);
      await channel.bindQueue(`${this.exchange}.events`, this.exchange, '#');
      await channel.prefetch(PREFETCH);
      await channel.consume(`${this.exchange}.events`, (message: ConsumeMessage | null) => {
        if (message === null) return this.leave();
        this.ledger.book('subscriber', message.content.toString('utf8'));
        channel.ack(message);
      });
      onBound();
      await ended;
    } finally {
      await connection.close().catch(() => undefined);
    }
  }
}
