import { Injectable } from '@nestjs/common';

import { relabel, renamesCompleted } from '../../domain/transitions/relabel.ts';
import { resolve, type Settlement } from '../../domain/transitions/resolve.ts';
import { readAnySpelling } from '../../ports/any-spelling.ts';
import type { Counted } from '../../ports/attention.ts';
import { Clock } from '../../ports/clock.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { IdempotencyClaim } from '../../ports/idempotency.ts';
import { Meter } from '../../ports/meter.ts';
import type { Deliverable } from '../../ports/new-deliveries.ts';
import { OrderAlreadyNamed, type Labelled, type LabelToSet } from '../../ports/labels.ts';
import {
  Payments,
  type AddedPayment,
  type NotStored,
  type PaymentConditions,
  type PaymentEvents,
  type PaymentFilter,
  type PaymentToAdd,
  type StoredPayment,
} from '../../ports/payments.ts';
import { QuoteTables } from '../../ports/quote-tables.ts';
import { Batcher, REQUESTS } from '../../platform/scheduling/batcher.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { DueSignals } from '../../platform/scheduling/wake-signal.ts';
import { failsAll } from '../connection/connection-errors.ts';
import { Database } from '../connection/database.ts';
import { COUNT_WITHIN_MS } from '../deliveries/bounded-reading.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { addPayments, type AdditionResult } from './add-payments.ts';
import { changePayment, type PaymentChange } from './change-payment.ts';
import { countPayments } from './count-payments.ts';
import type { FilterScope } from './list-candidates.ts';
import { listPayments } from './list-payments.ts';
import type { Addition } from './new-payment-record.ts';
import { readEvents, readHavePayments, readPayments } from './payment-queries.ts';
import { addQuote, completeClaim, storeQuote } from './store-quote.ts';

/**
 * Due times are cut to milliseconds, and timers may fire a millisecond early: a tracker that wakes too soon finds nothing
 * due.
 */
const WAKE_AFTER_MS = 2;

/** Payments in PostgreSQL. */
@Injectable()
export class PostgresPayments extends Payments {
  private readonly additions = new Batcher<Addition, AdditionResult | null>(
    (additions) => this.addGroup(additions),
    {
      ...REQUESTS,
      failsAll,
      keyOf: ({ payment }) => payment.quoteId,
    },
  );
  private readonly counts = new SharedWork<Counted>();
  private readonly orders: Batcher<string, boolean>;
  private readonly reads: Batcher<string, StoredPayment | NotStored>;

  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly clock: Clock,
    private readonly due: DueSignals,
    private readonly meter: Meter,
    private readonly quoteTables: QuoteTables,
  ) {
    super();
    this.orders = new Batcher((orderIds) => readHavePayments(database, orderIds), { ...REQUESTS, failsAll });
    this.reads = new Batcher((quoteIds) => readPayments(database, quoteIds), {
      ...REQUESTS,
      failsAll,
    });
  }

  async add(
    payment: PaymentToAdd,
    claim: IdempotencyClaim | null,
    offers: readonly LeaseOffer[],
  ): Promise<AddedPayment & Deliverable> {
    const since = performance.now();
    const added = await this.additions.add({ payment, claim, offers });
    if (added === null) return { isNew: false, ...(await this.addToStored({ payment, claim, offers })) };
    payment.span?.recorded(payment, added.events, since);
    return { isNew: true, payment: added.payment, deliveries: added.deliveries };
  }

  async label(quoteId: string, label: LabelToSet, offers: readonly LeaseOffer[]): Promise<Labelled> {
    let previousOrderId: string | null = null;
    if (label.orderId === null && label.metadata === null) return { deliveries: null, previousOrderId };
    const set: PaymentChange = (payment) => {
      if (label.mayRename !== true && renamesCompleted(payment, label)) throw new OrderAlreadyNamed();
      const labelled = relabel(payment, label);
      previousOrderId = labelled.events[0]?.previousOrderId ?? null;
      return labelled;
    };
    return { ...(await this.change(quoteId, set, offers)), previousOrderId };
  }

  resolve(
    quoteId: string,
    settlement: Settlement | null,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable> {
    return this.change(quoteId, (payment, now) => resolve(payment, settlement, now), offers);
  }

  addQuote(quoteId: string, quoteText: string): Promise<void> {
    return addQuote(this.database, quoteId, quoteText);
  }

  read(quoteId: string): Promise<StoredPayment | NotStored> {
    return readAnySpelling(quoteId, (spelling) => this.reads.add(spelling));
  }

  list(filter: PaymentFilter): Promise<{ payments: StoredPayment[]; nextCursor: string | null }> {
    return listPayments(this.database.reads, filter, this.scope);
  }

  private get scope(): FilterScope {
    return { tables: this.quoteTables.all, rules: this.rules };
  }

  count(conditions: PaymentConditions): Promise<Counted> {
    // Several tabs of the dashboard ask for the same count.
    const counting = this.counts.run(JSON.stringify(conditions), () =>
      countPayments(this.database.reads, conditions, this.scope),
    );
    return this.database.within(COUNT_WITHIN_MS, counting);
  }

  async hasPayment(orderId: string): Promise<boolean> {
    return this.rules.ordersAreUnique && this.orders.add(orderId.toWellFormed());
  }

  eventsOf(quoteId: string, cursor: string | null = null): Promise<PaymentEvents | null> {
    return readEvents(this.database.looks, quoteId, cursor);
  }

  private async change(
    quoteId: string,
    change: PaymentChange,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable> {
    const changed = await changePayment(this.database, quoteId, change, this.rules, offers, this.clock);
    if (changed === null) return { deliveries: null };
    this.database.known.noteRecorded(changed.stored);
    this.meter.recorded('payment.updated');
    return { deliveries: changed.deliveries };
  }

  /** Null for a payment that is stored already. */
  private async addGroup(additions: readonly Addition[]): Promise<readonly (AdditionResult | null)[]> {
    const added = await addPayments(this.database, additions, this.rules, this.clock.now());
    const stored = added.filter((each) => each !== null);
    const nowMs = this.clock.now().getTime();
    for (const { payment } of stored)
      if (payment.nextPollAt !== null)
        this.due.of(payment.provider).wakeIn(payment.nextPollAt.getTime() - nowMs + WAKE_AFTER_MS);
    for (const { type } of stored.flatMap(({ events }) => events)) this.meter.recorded(type);
    return added;
  }

  /** Runs in new transactions: the id of the former transaction may be smaller than that of the payment's last event. */
  private async addToStored({ payment, claim, offers }: Addition): Promise<Deliverable> {
    await storeQuote(this.database, payment);
    const labelled = await this.label(payment.quoteId, payment, offers);
    // Runs last: a key must not answer with a quote whose label is not stored yet.
    if (claim !== null) await completeClaim(this.database, claim, payment.quoteId);
    // The request's address equals the stored one: storeQuote has compared the two.
    if (payment.attemptId) await this.database.query(END_ATTEMPT, [payment.attemptId]);
    return labelled;
  }
}

const END_ATTEMPT = `DELETE FROM unanswered_quote WHERE id = $1`;
