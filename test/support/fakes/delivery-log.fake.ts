import {
  DeliveryLog,
  type DeliveryDetail,
  type DeliveryFilter,
  type LoggedDelivery,
} from '../../../src/ports/delivery-log.ts';

/** A log that answers what it was given, and keeps what it was asked. */
export class FakeDeliveryLog extends DeliveryLog {
  readonly details = new Map<string, DeliveryDetail>();
  readonly filters: DeliveryFilter[] = [];
  readonly retried: string[] = [];
  nextCursor: string | null = null;

  async list(filter: DeliveryFilter): Promise<{ deliveries: LoggedDelivery[]; nextCursor: string | null }> {
    this.filters.push(filter);
    return { deliveries: [...this.details.values()], nextCursor: this.nextCursor };
  }

  async find(id: string): Promise<DeliveryDetail | null> {
    return this.details.get(id) ?? null;
  }

  async retry(id: string): Promise<boolean> {
    this.retried.push(id);
    return this.details.has(id);
  }
}
