import { PostgresPayments } from '../../src/database/payments/payments.store.ts';
import { PostgresSchedule } from '../../src/database/polling/schedule.store.ts';
import type { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import type { LeaseOffer } from '../../src/ports/deliveries.ts';
import type { IdempotencyClaim } from '../../src/ports/idempotency.ts';
import type { Deliverable } from '../../src/ports/new-deliveries.ts';
import type { Poll, RecordOutcome, Schedule } from '../../src/ports/schedule.ts';
import type { Labelled, LabelToSet } from '../../src/ports/labels.ts';
import type { AddedPayment, Payments, PaymentToAdd } from '../../src/ports/payments.ts';
import type { Settlement } from '../../src/domain/transitions/resolve.ts';

type StoreParts<Store extends abstract new (...parts: never[]) => unknown> = ConstructorParameters<Store>;

/** Leases the new deliveries of payments that a test adds without offers to the dispatchers, like features do. */
export class LeasingPayments extends PostgresPayments {
  constructor(
    private readonly signals: DeliverySignals,
    ...parts: StoreParts<typeof PostgresPayments>
  ) {
    super(...parts);
  }

  override add(
    payment: PaymentToAdd,
    claim: IdempotencyClaim | null = null,
    offers: readonly LeaseOffer[] | null = null,
  ): Promise<AddedPayment & Deliverable> {
    if (offers !== null) return super.add(payment, claim, offers);
    return this.signals.leasing((asked) => super.add(payment, claim, asked));
  }

  override async label(
    quoteId: string,
    label: LabelToSet,
    offers: readonly LeaseOffer[] | null = null,
  ): Promise<Labelled> {
    if (offers !== null) return super.label(quoteId, label, offers);
    return this.signals.leasing((asked) => super.label(quoteId, label, asked));
  }

  override resolve(
    quoteId: string,
    settlement: Settlement | null,
    offers: readonly LeaseOffer[] | null = null,
  ): Promise<Deliverable> {
    if (offers !== null) return super.resolve(quoteId, settlement, offers);
    return this.signals.leasing((asked) => super.resolve(quoteId, settlement, asked));
  }
}

/** A schedule that leases the new deliveries of a test's polls. */
export class LeasingSchedule extends PostgresSchedule {
  constructor(
    private readonly signals: DeliverySignals,
    ...parts: StoreParts<typeof PostgresSchedule>
  ) {
    super(...parts);
  }

  override record(
    polls: readonly Poll[],
    offers: readonly LeaseOffer[] | null = null,
  ): Promise<RecordOutcome & Deliverable> {
    if (offers !== null) return super.record(polls, offers);
    return this.signals.leasing((asked) => super.record(polls, asked));
  }
}

/** The stores of a suite that runs on the fake and on PostgreSQL. */
export type PaymentsOfSuite = Payments & Pick<LeasingPayments, 'add' | 'label' | 'resolve'>;
export type ScheduleOfSuite = Schedule & Pick<LeasingSchedule, 'record'>;
