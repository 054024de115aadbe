import { randomUUID } from 'node:crypto';

import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import axios from 'axios';
import { DataSource, In, LessThanOrEqual } from 'typeorm';

import { OutboxEventEntity } from './outbox-event.entity.ts';
import { PaymentEntity } from './payment.entity.ts';
import { Settings } from './settings.ts';

const BATCH = 200;
const EVERY_MS = 1_000;
const TIMEOUT_MS = 5_000;

type Report = Record<string, unknown> & { readonly status: string };

/** Polls the payments that are due, and stores each change with its event in one transaction. */
@Injectable()
export class PollingService {
  private readonly logger = new Logger(PollingService.name);
  private isRunning = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
  ) {}

  @Interval(EVERY_MS)
  async pollDuePayments(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      for (let polled = BATCH; polled === BATCH;) polled = await this.pollBatch();
    } catch (error) {
      this.logger.error(error);
    } finally {
      this.isRunning = false;
    }
  }

  private async pollBatch(): Promise<number> {
    const payments = await this.claim();
    await Promise.all(
      payments.map((payment) =>
        this.poll(payment).catch((error: unknown) =>
          this.logger.warn(`${payment.quoteId}: ${String(error)}`),
        ),
      ),
    );
    return payments.length;
  }

  /** Other replicas skip the payments that this one has locked. */
  private claim(): Promise<PaymentEntity[]> {
    return this.dataSource.transaction(async (manager) => {
      const payments = await manager.find(PaymentEntity, {
        where: { nextPollAt: LessThanOrEqual(new Date()) },
        order: { nextPollAt: 'ASC' },
        take: BATCH,
        lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
      });
      if (payments.length === 0) return [];
      const nextPollAt = new Date(Date.now() + this.settings.intervalMs);
      await manager.update(PaymentEntity, { id: In(payments.map(({ id }) => id)) }, { nextPollAt });
      return payments;
    });
  }

  private async poll(payment: PaymentEntity): Promise<void> {
    const url = `${this.settings.providerUrl}/api/status/${payment.quoteId}`;
    const { data: report } = await axios.get<Report>(url, { timeout: TIMEOUT_MS });
    if (report.status === payment.status) return;
    const previousStatus = payment.status;
    payment.status = report.status;
    payment.sequence += 1;
    payment.report = report;
    payment.nextPollAt =
      report.status === 'COMPLETED' ? null : new Date(Date.now() + this.settings.intervalMs);
    await this.dataSource.transaction(async (manager) => {
      await manager.save(payment);
      await manager.save(manager.create(OutboxEventEntity, eventOf(payment, previousStatus)));
    });
  }
}

function eventOf(
  { quoteId, sequence, status, report }: PaymentEntity,
  previousStatus: string,
): Partial<OutboxEventEntity> {
  const eventId = randomUUID();
  const type = `payment.${status.toLowerCase()}`;
  const payload = {
    specversion: '1.0',
    id: eventId,
    source: 'usual',
    type,
    subject: quoteId,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    data: { quoteId, sequence, status, previousStatus, late: false, payment: report },
  };
  return { eventId, type, payload };
}
