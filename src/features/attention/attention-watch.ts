import { randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { changesOf, type CodeChange } from '../../domain/attention/attention-changes.ts';
import {
  type AttentionData,
  type AttentionSum,
  operationalEvent,
} from '../../domain/event/operational-event.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';
import {
  PAYMENT_TROUBLES,
  type PaymentTrouble,
  TROUBLE_CODES,
} from '../../domain/attention/payment-troubles.ts';
import { AttentionCounts, type PaymentSums } from '../../ports/attention.ts';
import {
  type OperationalDelivery,
  OperationalEvents,
  type Subscriber,
} from '../../ports/operational-events.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { type AttentionItem, severityOf } from './attention-item.ts';
import { AttentionReader, type AttentionReading, itemsOf } from './attention-reader.ts';
import { AttentionSettings } from './attention.settings.ts';

const EVERY_MS = 10_000;
/** Codes that count payments. */
const COUNTED_PAYMENTS: ReadonlyMap<string, PaymentTrouble | 'undelivered'> = new Map([
  ['undelivered', 'undelivered'],
  ...PAYMENT_TROUBLES.map((trouble) => [TROUBLE_CODES[trouble], trouble] as const),
]);

type Sums = ReadonlyMap<string, PaymentSums>;

/**
 * Records `attention.opened` and `attention.closed` for endpoints that ask for them. Without such an endpoint it reads
 * nothing.
 */
@Injectable()
export class AttentionWatch extends ServiceLoop {
  constructor(
    private readonly reader: AttentionReader,
    private readonly counts: AttentionCounts,
    private readonly events: OperationalEvents,
    private readonly settings: AttentionSettings,
    database: DatabaseHealth,
  ) {
    super('Operational events', database);
  }

  protected async round(): Promise<number> {
    const subscribers = await this.events.subscribers();
    if (subscribers.length === 0) return EVERY_MS;
    const reading = await this.reader.read();
    for (const subscriber of subscribers) await this.tell(subscriber, reading);
    return EVERY_MS;
  }

  private async tell({ id, types, told }: Subscriber, reading: AttentionReading): Promise<void> {
    const now = reading.checkedAt;
    const items = itemsOf(reading, id);
    const open = items.map(({ code }) => code);
    const changes = changesOf(told, open, now);
    if (changes.length === 0) return;
    const sums = await this.readSums(items, changes);
    // Decides again by the last messages, once no other process is telling this endpoint.
    await this.events.tell(id, (present) =>
      changesOf(present, open, now).map((change) => ({
        change,
        delivery: types.includes(change.type) ? this.deliveryOf(id, change, items, sums, now) : null,
      })),
    );
  }

  private deliveryOf(
    destinationId: string,
    { type, told }: CodeChange,
    items: readonly AttentionItem[],
    sums: Sums,
    time: Date,
  ): OperationalDelivery {
    const { code } = told;
    const eventId = randomUUID();
    const about = { code, severity: severityOf(code), link: this.settings.link };
    const item = type === 'attention.opened' ? items.find((each) => each.code === code) : undefined;
    const data: AttentionData =
      item === undefined
        ? { ...about, ...OVER, since: told.openedAt?.toISOString() ?? null }
        : { ...about, ...openOf(item, sums.get(code)) };
    const body = operationalEvent(type, data, { id: eventId, source: this.settings.eventSource, time });
    return { eventId, destinationId, code, body };
  }

  /** The sums for codes that open now. */
  private async readSums(items: readonly AttentionItem[], changes: readonly CodeChange[]): Promise<Sums> {
    const sums = new Map<string, PaymentSums>();
    for (const { code, payments } of items) {
      if (!changes.some((change) => change.told.code === code)) continue;
      const trouble = COUNTED_PAYMENTS.get(code);
      if (payments !== undefined) sums.set(code, payments);
      else if (trouble !== undefined) sums.set(code, await this.counts.sums(trouble));
    }
    return sums;
  }
}

const OVER = {
  count: 0,
  isMore: false,
  detail: 'This needs a person no longer.',
  sums: [] as readonly AttentionSum[],
} as const;

function openOf(
  { count, isMore, since, detail }: AttentionItem,
  sums: PaymentSums | undefined,
): Pick<AttentionData, 'count' | 'isMore' | 'since' | 'detail' | 'sums'> {
  const listed = (sums?.sums ?? []).map(({ chainId, chain, symbol, amount, payments }) => ({
    chainId,
    chain,
    symbol,
    amount,
    payments,
  }));
  return { count, isMore, since: since?.toISOString() ?? null, detail, sums: listed };
}
