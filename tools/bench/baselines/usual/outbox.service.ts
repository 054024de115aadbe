import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { connect, type ConfirmChannel } from 'amqplib';
import axios from 'axios';
import { Webhook } from 'standardwebhooks';
import { DataSource, IsNull } from 'typeorm';

import { OutboxEventEntity } from './outbox-event.entity.ts';
import { Settings } from './settings.ts';

const BATCH = 100;
const EVERY_MS = 1_000;
const TIMEOUT_MS = 15_000;
const SECRET = Buffer.alloc(32, 'usual').toString('base64');

/** Publishes the events of the outbox in their order, each as a webhook and as a confirmed message. */
@Injectable()
export class OutboxService implements OnModuleInit {
  private readonly logger = new Logger(OutboxService.name);
  private readonly webhook = new Webhook(SECRET);
  private channel!: ConfirmChannel;
  private isRunning = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
  ) {}

  async onModuleInit(): Promise<void> {
    const connection = await connect(this.settings.brokerUrl);
    this.channel = await connection.createConfirmChannel();
    await this.channel.assertExchange(this.settings.exchange, 'topic', { durable: true });
  }

  @Interval(EVERY_MS)
  async publishEvents(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      for (let published = BATCH; published === BATCH;) published = await this.publishBatch();
    } catch (error) {
      this.logger.error(error);
    } finally {
      this.isRunning = false;
    }
  }

  private publishBatch(): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const events = await manager.find(OutboxEventEntity, {
        where: { publishedAt: IsNull() },
        order: { id: 'ASC' },
        take: BATCH,
        lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
      });
      for (const event of events) {
        await this.publish(event);
        event.publishedAt = new Date();
        await manager.save(event);
      }
      return events.length;
    });
  }

  private async publish({ eventId, type, payload }: OutboxEventEntity): Promise<void> {
    const body = JSON.stringify(payload);
    const now = new Date();
    await axios.post(this.settings.webhookUrl, body, {
      timeout: TIMEOUT_MS,
      headers: {
        'content-type': 'application/json',
        'webhook-id': eventId,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': this.webhook.sign(eventId, now, body),
      },
    });
    this.channel.publish(this.settings.exchange, type, Buffer.from(body), {
      persistent: true,
      messageId: eventId,
    });
    await this.channel.waitForConfirms();
  }
}
