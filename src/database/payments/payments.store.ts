import { Injectable } from '@nestjs/common';

import type { EventType } from '../../domain/event/event.ts';
import { applyReport, openPayment } from '../../domain/payment/apply-report.ts';
import { newPayment, numberIn } from '../../domain/payment/payment.ts';
import { FIRST_POLL_SPREAD } from '../../domain/polling/spacing.ts';
import { nextPoll } from '../../domain/polling/urgency.ts';
import { relabel, type PaymentLabel } from '../../domain/payment/relabel.ts';
import { resolve, type Settlement } from '../../domain/payment/resolve.ts';
import type { Transition } from '../../domain/payment/transition.ts';
import { Clock } from '../../ports/clock.ts';
import type { IdempotencyClaim } from '../../ports/idempotency.ts';
import { Meter } from '../../ports/meter.ts';
import {
  PaymentRemoved,
  Payments,
  type PaymentEvents,
  type PaymentFilter,
  type PaymentToAdd,
  type StoredPayment,
} from '../../ports/payments.ts';
import { DueSignal, DeliverySignals } from '../../platform/scheduling/wake-signal.ts';
import type { Queries } from '../../ports/queries.ts';
import { Database } from '../connection/database.ts';
import { changePayment, type PaymentChange } from './change-payment.ts';
import { addQuote, completeClaim, insertPayment, insertSchedule, storeQuote } from './insert-payment.ts';
import { JOIN_LOG } from './label-lock.ts';
import { listPayments } from './list-payments.ts';
import { findPayment, readEvents, wasRemoved } from './payment-queries.ts';
import type { StoredEvents } from '../events/known-events.ts';
import { recordEvents } from '../events/record-events.ts';
import { RecordSettings } from '../polling/record-settings.ts';

/** Payments in PostgreSQL. */
@Injectable()
export class PostgresPayments extends Payments {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly clock: Clock,
    private readonly deliverySignals: DeliverySignals,
    private readonly due: DueSignal,
    private readonly meter: Meter,
  ) {
    super();
  }

  async add(payment: PaymentToAdd, claim?: IdempotencyClaim): Promise<{ isNew: boolean }> {
    const now = this.clock.now();
    const added = await this.database.transaction(async (queries) => {
      const [log] = await queries.query<{ epoch: number }>(JOIN_LOG);
      const transition = this.firstTransition(payment, log?.epoch ?? 0, now);
      const paymentId = await insertPayment(queries, transition, now);
      // After the insert, in a statement of its own: where that had to wait for a removal, this one sees it.
      if (paymentId !== null && (await wasRemoved(queries, payment.quoteId))) throw new PaymentRemoved(409);
      await storeQuote(queries, payment);
      if (paymentId === null) return null;
      if (claim !== undefined) await completeClaim(queries, claim, payment.quoteId);
      const stored = await this.insertFirst(queries, paymentId, transition, now, payment.quoteText === null);
      return { stored, types: transition.events.map(({ type }) => type) };
    });
    if (added === null) await this.addToStored(payment, claim);
    else this.noteStored(added.stored, added.types);
    return { isNew: added !== null };
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
    return findPayment(this.database, quoteId);
  }

  wasRemoved(quoteId: string): Promise<boolean> {
    return wasRemoved(this.database, quoteId);
  }

  list(filter: PaymentFilter): Promise<{ payments: StoredPayment[]; nextCursor: string | null }> {
    return listPayments(this.database, filter);
  }

  eventsOf(quoteId: string, cursor: string | null = null): Promise<PaymentEvents | null> {
    return readEvents(this.database, quoteId, cursor);
  }

  private async change(quoteId: string, change: PaymentChange): Promise<void> {
    const { source } = this.rules;
    const stored = await changePayment(this.database, quoteId, change, source, this.clock);
    if (stored !== null) this.noteStored(stored, ['payment.updated']);
  }

  private noteStored(stored: StoredEvents, types: readonly EventType[]): void {
    this.database.known.noteRecorded(stored);
    for (const type of types) this.meter.recorded(type);
    this.deliverySignals.wake();
  }

  /** Not in the transaction before: that one may have its id from before the payment's last event. */
  private async addToStored(payment: PaymentToAdd, claim?: IdempotencyClaim): Promise<void> {
    await this.label(payment.quoteId, payment);
    // Last: a key must not answer with a quote whose label is not stored yet.
    if (claim !== undefined) await completeClaim(this.database, claim, payment.quoteId);
  }

  /**
   * A payment is created first, and then moved by a report that is known already. A quote that was just made is new to
   * everybody; any other payment may have been here before the database went back.
   */
  private firstTransition(
    { quoteText: _quoteText, adoptedQuoteText: _adopted, report, ...fields }: PaymentToAdd,
    epoch: number,
    now: Date,
  ): Transition {
    const expiresAt = fields.expiresAt ?? report?.expiresAt ?? null;
    const payment = newPayment({ ...fields, expiresAt }, now);
    const opened = openPayment(report === null ? { ...payment, epoch } : numberIn(epoch, payment));
    if (report === null) return opened;
    const reported = applyReport(opened.payment, report, now, this.rules);
    return { ...reported, events: [...opened.events, ...reported.events] };
  }

  /** `wasAsked`: the report came from asking about the payment, not with its quote. */
  private async insertFirst(
    queries: Queries,
    paymentId: string,
    transition: Transition,
    now: Date,
    wasAsked: boolean,
  ): Promise<StoredEvents> {
    const { payment, events, report } = transition;
    const next = nextPoll(payment, now, this.rules.urgency);
    if (next.inMs !== null) {
      const isPolled = wasAsked && report !== null;
      const spread = isPolled ? 0 : FIRST_POLL_SPREAD * Math.random();
      const polledAt = isPolled ? now : null;
      const first = { spread, polledAt, gapMs: this.rules.urgency.gapMs };
      await insertSchedule(queries, paymentId, payment, next, first);
      this.due.wakeIn(next.inMs * (1 + spread));
    }
    const reported =
      report === null ? { storedReport: null } : { storedReport: report.text, newReport: report.text };
    const recorded = { paymentId, payment, drafts: events, ...reported };
    return recordEvents(queries, recorded, this.rules.source, now);
  }
}
