import { Injectable } from '@nestjs/common';

import type { EventType } from '../../domain/event/event.ts';
import { relabel, type PaymentLabel } from '../../domain/payment/relabel.ts';
import { resolve, type Settlement } from '../../domain/payment/resolve.ts';
import { Clock } from '../../ports/clock.ts';
import type { IdempotencyClaim } from '../../ports/idempotency.ts';
import { Meter } from '../../ports/meter.ts';
import {
  Payments,
  type PaymentEvents,
  type PaymentFilter,
  type PaymentToAdd,
  type StoredPayment,
} from '../../ports/payments.ts';
import type { TracedEvent } from '../../ports/tracer.ts';
import { Groups } from '../../platform/scheduling/groups.ts';
import { DeliverySignals, type NewDeliveries } from '../../platform/scheduling/delivery-signals.ts';
import { DueSignal } from '../../platform/scheduling/wake-signal.ts';
import { failsAll } from '../connection/connection-errors.ts';
import { Database } from '../connection/database.ts';
import { RecordSettings } from '../polling/record-settings.ts';
import { addPayments, type Addition } from './add-payments.ts';
import { changePayment, type PaymentChange } from './change-payment.ts';
import { listPayments } from './list-payments.ts';
import { findPayments, readEvents, whichWereRemoved } from './payment-queries.ts';
import { addQuote, completeClaim, storeQuote } from './store-quote.ts';

/** Payments in PostgreSQL. */
@Injectable()
export class PostgresPayments extends Payments {
  private readonly additions = new Groups<Addition, readonly TracedEvent[] | null>(
    (additions) => this.addGroup(additions),
    {
      failsAll,
      keyOf: ({ payment }) => payment.quoteId,
    },
  );
  private readonly finds: Groups<string, StoredPayment | null>;
  private readonly removals: Groups<string, boolean>;

  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly clock: Clock,
    private readonly deliverySignals: DeliverySignals,
    private readonly due: DueSignal,
    private readonly meter: Meter,
  ) {
    super();
    this.finds = new Groups((quoteIds) => findPayments(database, quoteIds), { failsAll });
    this.removals = new Groups((quoteIds) => whichWereRemoved(database, quoteIds), { failsAll });
  }

  async add(payment: PaymentToAdd, claim: IdempotencyClaim | null = null): Promise<{ isNew: boolean }> {
    const since = performance.now();
    const events = await this.additions.add({ payment, claim });
    if (events === null) await this.addToStored(payment, claim);
    else payment.span?.recorded(payment.quoteId, events, since);
    return { isNew: events !== null };
  }

  async label(quoteId: string, label: PaymentLabel): Promise<void> {
    if (label.orderId === null && label.metadata === null) return;
    await this.change(quoteId, (payment) => relabel(payment, label));
  }

  async resolve(quoteId: string, settlement: Settlement | null): Promise<void> {
    await this.change(quoteId, (payment, now) => resolve(payment, settlement, now));
  }

  addQuote(quoteId: string, quoteText: string): Promise<void> {
    return addQuote(this.database, quoteId, quoteText);
  }

  find(quoteId: string): Promise<StoredPayment | null> {
    return this.finds.add(quoteId);
  }

  wasRemoved(quoteId: string): Promise<boolean> {
    return this.removals.add(quoteId);
  }

  list(filter: PaymentFilter): Promise<{ payments: StoredPayment[]; nextCursor: string | null }> {
    return listPayments(this.database, filter);
  }

  eventsOf(quoteId: string, cursor: string | null = null): Promise<PaymentEvents | null> {
    return readEvents(this.database, quoteId, cursor);
  }

  private async change(quoteId: string, change: PaymentChange): Promise<void> {
    const { source } = this.rules;
    const offers = this.deliverySignals.offers();
    const changed = await changePayment(this.database, quoteId, change, source, offers, this.clock);
    if (changed === null) return;
    this.database.known.noteRecorded(changed.stored);
    this.noteRecorded(['payment.updated'], changed.deliveries);
  }

  /** The events of each; null for a payment that is stored already. */
  private async addGroup(additions: readonly Addition[]): Promise<(readonly TracedEvent[] | null)[]> {
    const offers = this.deliverySignals.offers();
    const { added, deliveries } = await addPayments(
      this.database,
      additions,
      this.rules,
      offers,
      this.clock.now(),
    );
    const stored = added.filter((each) => each !== null);
    for (const { firstPollInMs } of stored) if (firstPollInMs !== null) this.due.wakeIn(firstPollInMs);
    const types = stored.flatMap(({ transition }) => transition.events.map(({ type }) => type));
    this.noteRecorded(types, deliveries);
    return added.map((each) => each?.transition.events ?? null);
  }

  /** Not in the transaction before: that one may have its id from before the payment's last event. */
  private async addToStored(payment: PaymentToAdd, claim: IdempotencyClaim | null): Promise<void> {
    await storeQuote(this.database, payment);
    await this.label(payment.quoteId, payment);
    // Last: a key must not answer with a quote whose label is not stored yet.
    if (claim !== null) await completeClaim(this.database, claim, payment.quoteId);
  }

  private noteRecorded(types: readonly EventType[], deliveries: NewDeliveries): void {
    for (const type of types) this.meter.recorded(type);
    if (types.length > 0) this.deliverySignals.recorded(deliveries);
  }
}
