import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';

import type { EventDraft, EventType } from '../../domain/event/event.ts';
import { stampEvent, type PaymentEvent } from '../../domain/event/stamp-event.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { Queries } from '../../ports/queries.ts';
import type { NewDeliveries } from '../../platform/scheduling/delivery-signals.ts';
import type { StoredEvents } from '../connection/known-events.ts';
import { newDeliveries, offersText, type NewDeliveryRow } from './new-deliveries.ts';

/** The events of one payment, to be recorded in the transaction that changes the payment. */
export interface PaymentEvents {
  readonly payment: Payment;
  readonly drafts: readonly EventDraft[];
  /** The report stored before this transaction, verbatim, for events that are not about a new one. */
  readonly storedReport: string | null;
}

/** Of the ids of `payment.completed`, see docs/using/events.md: never to be changed. */
const COMPLETED_IDS = '8e757462-68c2-4ab7-a91a-0baab41eefd2';

/** The completion of a payment has one id for ever, so that a receiver recognises a second delivery for whatever reason. */
function eventIdOf(type: EventType, quoteId: string): string {
  return type === 'payment.completed' ? uuidv5(quoteId, COMPLETED_IDS) : uuidv7();
}

/** Gives events their ids and bodies. */
export function eventRows(
  { payment, drafts, storedReport }: PaymentEvents,
  source: string,
  now: Date,
): PaymentEvent[] {
  return drafts.map((draft) =>
    stampEvent(draft, payment, storedReport, {
      id: eventIdOf(draft.type, payment.quoteId),
      source,
      time: now,
    }),
  );
}

/** How and when events are recorded. */
export interface Recording {
  readonly source: string;
  readonly offers: readonly LeaseOffer[];
  readonly now: Date;
}

/** What is stored once the transaction is committed. */
export interface RecordedEvents {
  readonly stored: StoredEvents;
  readonly deliveries: NewDeliveries;
}

/**
 * Writes a payment's events and their deliveries. The caller holds the payment's row lock in the same transaction, which
 * keeps two recorders of one payment apart.
 */
export async function recordEvents(
  queries: Queries,
  paymentId: string,
  recorded: PaymentEvents,
  { source, offers, now }: Recording,
): Promise<RecordedEvents> {
  const since = performance.now();
  const { payment } = recorded;
  const rows = eventRows(recorded, source, now);
  const parameters = [
    rows.map((row) => row.id),
    rows.map(() => paymentId),
    rows.map((row) => row.sequence),
    rows.map((row) => row.type),
    rows.map((row) => row.body),
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
  FROM record_events($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::timestamptz, '{}', '{}', $7::json)`;
