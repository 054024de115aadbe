import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';

import type { EventDraft, EventType } from '../../domain/event/event.ts';
import { COMPLETED_IDS, type PaymentEvent, stampEvent } from '../../domain/event/stamp-event.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import type { NewDeliveries } from '../../ports/new-deliveries.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { Queries } from '../../ports/queries.ts';
import type { StoredEvents } from '../connection/known-events.ts';
import type { EventRules } from './record-settings.ts';
import { isFinal } from '../../domain/payment/status.ts';

/** The events of one payment, to be recorded in the transaction that changes the payment. */
export interface PaymentEvents {
  readonly payment: Payment;
  readonly drafts: readonly EventDraft[];
  /** The report stored before this transaction, verbatim, for events that bring no new report. */
  readonly storedReport: string | null;
}

/** Gives a payment's completion one id for ever, by which a receiver recognises any second delivery. */
function eventIdOf(type: EventType, quoteId: string): string {
  return type === 'payment.completed' ? uuidv5(quoteId, COMPLETED_IDS) : uuidv7();
}

/** The composite type event_record of the schema. */
export interface EventRow extends PaymentEvent {
  /** Whether the event names the other payments of its order. */
  readonly in_order: boolean;
}

/** Gives events their ids and bodies. */
export function eventRows(
  { payment, drafts, storedReport }: PaymentEvents,
  { source, ordersAreUnique }: EventRules,
  now: Date,
): EventRow[] {
  return drafts.map((draft) => {
    const stamp = { id: eventIdOf(draft.type, payment.quoteId), source, time: now };
    const event = stampEvent(draft, payment, storedReport, stamp);
    return { ...event, in_order: ordersAreUnique && paysOrder(draft, payment) };
  });
}

export interface Recording {
  readonly rules: EventRules;
  readonly offers: readonly LeaseOffer[];
  readonly now: Date;
}

/** The events that are stored when the transaction has committed. */
export interface RecordedEvents {
  readonly stored: StoredEvents;
  readonly deliveries: NewDeliveries;
}

/**
 * Writes a payment's events and their deliveries. The caller holds the payment's row lock in the same transaction: two
 * recorders of one payment cannot run at once.
 */
export async function recordEvents(
  queries: Queries,
  paymentId: string,
  recorded: PaymentEvents,
  { rules, offers, now }: Recording,
): Promise<RecordedEvents> {
  const since = performance.now();
  const { payment } = recorded;
  const rows = eventRows(recorded, rules, now);
  const parameters = [
    rows.map((row) => row.id),
    rows.map(() => paymentId),
    rows.map((row) => row.sequence),
    rows.map((row) => row.type),
    rows.map((row) => row.body),
    rows.map((row) => row.in_order),
    now,
    offersText(offers),
  ];
  const [row] = (await queries.query<NewDeliveryRow>(RECORD_EVENTS, parameters)) as [NewDeliveryRow];
  return {
    stored: { ids: rows.slice(-1).map(({ id }) => id), epoch: payment.epoch },
    deliveries: newDeliveries(row, [payment], [{ events: rows }], since),
  };
}

const RECORD_EVENTS = `
  SELECT leased_deliveries, due_destinations
  FROM record_events($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::boolean[], $7::timestamptz, '{}', '{}', $8::json)`;

/** The row that record_events answers. */
export interface NewDeliveryRow {
  readonly leased_deliveries:
    | readonly {
        readonly id: string;
        readonly token: string;
        readonly destinationId: string;
        readonly eventId: string;
        /** Null: the body is the one that the caller gave. */
        readonly body: string | null;
      }[]
    | null;
  readonly due_destinations: readonly string[] | null;
}

/** The parameter the_offers of record_events. */
export function offersText(offers: readonly LeaseOffer[]): string {
  return JSON.stringify(
    offers.map(({ destinationId, free, leaseMs }) => ({
      destination_id: destinationId,
      free,
      lease_ms: leaseMs,
    })),
  );
}

/**
 * The deliveries that were inserted leased, in the form in which a claim reads them. The n-th record has the events of
 * the n-th payment.
 */
export function newDeliveries(
  { leased_deliveries: leased, due_destinations: due }: NewDeliveryRow,
  payments: readonly Payment[],
  records: readonly { readonly events: readonly PaymentEvent[] }[],
  since: number,
): NewDeliveries {
  const recorded = new Map(
    leased === null
      ? []
      : records.flatMap(({ events }, index) =>
          events.map((event) => [event.id, { event, payment: payments[index] as Payment }]),
        ),
  );
  const deliveries = (leased ?? []).map(({ eventId, body, ...delivery }) => {
    const { event, payment } = recorded.get(eventId) as { event: PaymentEvent; payment: Payment };
    const { quoteId, provider, orderId, traceparent } = payment;
    const { type, sequence, time } = event;
    const ofEvent = { eventId, type, sequence, time, body: body ?? event.body };
    return {
      ...delivery,
      ...ofEvent,
      quoteId,
      provider,
      orderId,
      traceparent,
      attempts: 0,
      retries: 0,
      isUnscheduled: false,
      resumeInMs: null,
    };
  });
  return { leased: deliveries, dueTargets: due ?? [], since };
}

/** Whether an event says that a payment pays its order: by completing the payment, or by labelling a completed one. */
function paysOrder({ type, status, resolution }: EventDraft, { orderId }: Payment): boolean {
  const isLabel = type === 'payment.updated' && resolution === undefined && isFinal(status);
  return orderId !== null && (type === 'payment.completed' || isLabel);
}
