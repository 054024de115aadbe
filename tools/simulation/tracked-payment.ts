import type { Payment } from '../../src/domain/payment/payment.ts';
import type { FakePayments } from '../../test/support/fakes/payments.fake.ts';
import type { FakeSchedule } from '../../test/support/fakes/schedule.fake.ts';
import type { Life } from './lives.ts';

/** A payment's life, with its state in Paybell. */
export class TrackedPayment {
  /** When the last request about the payment was sent. */
  polledAt: number | null = null;
  private readonly quoteId: string;

  constructor(
    readonly life: Life,
    private readonly payments: FakePayments,
    private readonly schedule: FakeSchedule,
  ) {
    this.quoteId = String(life.id);
  }

  get payment(): Payment {
    const row = this.payments.rows.get(this.quoteId);
    if (row === undefined) throw new Error(`payment ${this.quoteId} is not stored`);
    return row.payment;
  }

  get isClosed(): boolean {
    return this.payment.tracking === 'closed';
  }

  get isScheduled(): boolean {
    return this.schedule.rows.has(this.quoteId);
  }
}
