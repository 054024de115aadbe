import { randomUUID } from 'node:crypto';

import { applyReport, openPayment } from '../../../src/domain/transitions/apply-report.ts';
import { relabel, renamesCompleted } from '../../../src/domain/transitions/relabel.ts';
import type { Transition } from '../../../src/domain/transitions/transition.ts';
import { stampEvent } from '../../../src/domain/event/stamp-event.ts';
import { PAYING } from '../../../src/domain/payment/order.ts';
import { newPayment, type Payment } from '../../../src/domain/payment/payment.ts';
import { resolve, type Settlement } from '../../../src/domain/transitions/resolve.ts';
import { readQuote } from '../../../src/domain/payment/quote.ts';
import { readAnySpelling } from '../../../src/ports/any-spelling.ts';
import type { Counted } from '../../../src/ports/attention.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { IdempotencyClaim } from '../../../src/ports/idempotency.ts';
import type { LeaseOffer } from '../../../src/ports/deliveries.ts';
import { type Deliverable, NO_OFFERS } from '../../../src/ports/new-deliveries.ts';
import { ProviderUnavailable } from '../../../src/ports/payment-provider.ts';
import { OrderAlreadyNamed, type Labelled, type LabelToSet } from '../../../src/ports/labels.ts';
import {
  InvalidCursor,
  PaymentRemoved,
  Payments,
  type AddedPayment,
  type NotStored,
  type PaymentConditions,
  type PaymentEvents,
  type PaymentFilter,
  type PaymentToAdd,
  type StoredPayment,
} from '../../../src/ports/payments.ts';
import { NotWanted } from '../../../src/ports/store-busy.ts';
import type { UnansweredQuotes } from '../../../src/ports/unanswered-quotes.ts';
import type { FakeIdempotency } from './idempotency.fake.ts';

export interface FakeRow {
  payment: Payment;
  quoteText: string | null;
  reportText: string | null;
  reportedAt: Date | null;
  updatedAt: Date;
  lastPolledAt: Date | null;
  nextPollAt: Date | null;
  readonly events: string[];
}

const RULES = { stalledAfterMs: 900_000 };

/** Payments in memory, moved by the real state machine. */
export class FakePayments extends Payments {
  readonly rows = new Map<string, FakeRow>();
  readonly filters: PaymentFilter[] = [];
  readonly counted: PaymentConditions[] = [];
  readonly removed = new Set<string>();
  adds = 0;
  /** Thrown by the next `add`, before anything is stored. */
  failNextAdd: Error | null = null;
  /** The wait in line of each `add`. */
  beforeAdd: () => Promise<void> = () => Promise.resolve();
  /** The schedule's, for each payment that is added. */
  onAdded: ((row: FakeRow) => void) | null = null;
  /** The row of an unanswered quote is removed when the payment is stored. */
  unanswered: UnansweredQuotes | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly idempotency?: FakeIdempotency,
  ) {
    super();
  }

  async add(
    payment: PaymentToAdd,
    claim: IdempotencyClaim | null = null,
    offers: readonly LeaseOffer[] = NO_OFFERS,
  ): Promise<AddedPayment & Deliverable> {
    this.adds += 1;
    const failure = this.failNextAdd;
    this.failNextAdd = null;
    if (failure !== null) throw failure;
    await this.beforeAdd();
    if (payment.isWanted?.() === false) throw new NotWanted();
    if (this.removed.has(payment.quoteId)) throw new PaymentRemoved(409);
    const row = this.rows.get(payment.quoteId);
    if (row !== undefined) {
      row.quoteText ??= payment.adoptedQuoteText ?? null;
      storeQuote(row, payment.quoteText);
      await this.label(payment.quoteId, payment);
    }
    if (claim !== null) this.idempotency?.complete(claim, payment);
    if (payment.attemptId) await this.unanswered?.withdraw(payment.attemptId);
    if (row !== undefined) return { isNew: false, deliveries: null };
    return { isNew: true, payment: storedOf(this.insert(payment)), ...deliverableAs(offers) };
  }

  async label(quoteId: string, label: LabelToSet, offers = NO_OFFERS): Promise<Labelled> {
    const before = this.rows.get(quoteId)?.payment;
    if (before !== undefined && label.mayRename !== true && renamesCompleted(before, label))
      throw new OrderAlreadyNamed();
    const changed = this.change(quoteId, (payment) => relabel(payment, label), offers);
    const isRenamed = before?.orderId !== this.rows.get(quoteId)?.payment.orderId;
    return { ...changed, previousOrderId: (isRenamed && before?.orderId) || null };
  }

  async resolve(quoteId: string, settlement: Settlement | null, offers = NO_OFFERS): Promise<Deliverable> {
    return this.change(quoteId, (payment) => resolve(payment, settlement, this.clock.now()), offers);
  }

  private change(
    quoteId: string,
    change: (payment: Payment) => Transition,
    offers: readonly LeaseOffer[],
  ): Deliverable {
    const row = this.rows.get(quoteId);
    const transition = row === undefined ? null : change(row.payment);
    if (row === undefined || transition === null || transition.events.length === 0)
      return { deliveries: null };
    this.record(row, transition);
    return deliverableAs(offers);
  }

  async addQuote(quoteId: string, quoteText: string): Promise<void> {
    const row = this.rows.get(quoteId);
    if (row !== undefined) row.quoteText ??= quoteText;
  }

  read(quoteId: string): Promise<StoredPayment | NotStored> {
    return readAnySpelling(quoteId, async (spelling) => {
      const row = this.rows.get(spelling);
      if (row !== undefined) return storedOf(row);
      return this.removed.has(spelling) ? 'removed' : 'unknown';
    });
  }

  async hasPayment(orderId: string): Promise<boolean> {
    return [...this.rows.values()].some(
      ({ payment }) =>
        payment.orderId === orderId &&
        PAYING.includes(payment.status) &&
        payment.resolution?.reason !== 'duplicate',
    );
  }

  /** Removes a payment, as retention does. */
  remove(quoteId: string): void {
    this.rows.delete(quoteId);
    this.removed.add(quoteId);
    this.idempotency?.forgetQuote(quoteId);
  }

  /** Notes the request, and finds every payment. The cursor is the last payment's quote id. */
  async list(filter: PaymentFilter): Promise<{ payments: StoredPayment[]; nextCursor: string | null }> {
    this.filters.push(filter);
    const stored = [...this.rows.values()];
    const all = filter.sort === 'oldest' ? stored : stored.reverse();
    const from =
      filter.cursor === undefined ? 0 : 1 + all.findIndex((row) => row.payment.quoteId === filter.cursor);
    if (filter.cursor !== undefined && from === 0) throw new InvalidCursor();
    const left = all.slice(from);
    const page = left.slice(0, filter.limit);
    const nextCursor = left.length > page.length ? (page.at(-1)?.payment.quoteId ?? null) : null;
    return { payments: page.map(storedOf), nextCursor };
  }

  async count(conditions: PaymentConditions): Promise<Counted> {
    this.counted.push(conditions);
    return { count: this.rows.size, isMore: false };
  }

  /** All events are one page. */
  async eventsOf(quoteId: string, cursor: string | null = null): Promise<PaymentEvents | null> {
    if (cursor !== null) throw new InvalidCursor();
    const events = this.rows.get(quoteId)?.events;
    return events === undefined ? null : { events, nextCursor: null };
  }

  /** Writes the result of an observation like the store does. */
  record(row: FakeRow, { payment, events, report }: Transition): void {
    const now = this.clock.now();
    const storedReport = report?.text ?? row.reportText;
    for (const draft of events) {
      const event = stampEvent(draft, payment, storedReport, {
        id: randomUUID(),
        source: 'paybell',
        time: now,
      });
      row.events.push(event.body);
    }
    if (report !== null) Object.assign(row, { reportText: report.text, reportedAt: now });
    Object.assign(row, {
      payment,
      updatedAt: now,
      nextPollAt: payment.tracking === 'closed' ? null : row.nextPollAt,
    });
  }

  private insert({
    quoteText,
    adoptedQuoteText = null,
    report,
    quoteId,
    provider,
    orderId,
    metadata,
    expiresAt,
    expectedMs,
    depositAddress = null,
    span = null,
  }: PaymentToAdd): FakeRow {
    const now = this.clock.now();
    const traceparent = span?.kept ?? null;
    const about = { orderId, metadata, expiresAt, expectedMs, depositAddress, traceparent };
    const payment = newPayment({ quoteId, provider, ...about }, now);
    // A report that came with the quote was no poll.
    const lastPolledAt = report === null || quoteText !== null ? null : now;
    const nextPollAt = new Date(now.getTime() + 7_000);
    const unreported = {
      quoteText: quoteText ?? adoptedQuoteText,
      reportText: null,
      reportedAt: null,
      updatedAt: now,
    };
    const row: FakeRow = { payment, ...unreported, lastPolledAt, nextPollAt, events: [] };
    this.rows.set(quoteId, row);
    const opened = openPayment(payment);
    this.record(row, opened);
    const reported = report === null ? null : applyReport(row.payment, report, now, RULES);
    if (reported !== null) this.record(row, reported);
    span?.recorded(payment, [...opened.events, ...(reported?.events ?? [])], performance.now());
    this.onAdded?.(row);
    return row;
  }
}

/** Keeps the first quote: no one would track another deposit address. */
function storeQuote(row: FakeRow, quoteText: string | null): void {
  if (quoteText === null) return;
  row.quoteText ??= quoteText;
  if (addressOf(row.quoteText) !== addressOf(quoteText))
    throw new ProviderUnavailable('it gave the id of another quote again');
}

function addressOf(quoteText: string): string | null {
  return readQuote(JSON.parse(quoteText), quoteText)?.depositAddress ?? null;
}

function storedOf({ payment, events: _events, ...row }: FakeRow): StoredPayment {
  const { quoteId, provider, orderId, metadata, status, late, sequence, tracking, createdAt, expiresAt } =
    payment;
  const { resolution, match, stalls } = payment;
  return {
    quoteId,
    provider,
    orderId,
    metadata,
    status,
    late,
    sequence,
    tracking,
    stalls,
    createdAt,
    expiresAt,
    resolution,
    match,
    verification: null,
    ...row,
  };
}

/** Marks all offered destinations as due: this fake leases no deliveries. */
export function deliverableAs(offers: readonly LeaseOffer[]): Deliverable {
  return {
    deliveries: { leased: [], dueTargets: offers.map(({ destinationId }) => destinationId), since: 0 },
  };
}
