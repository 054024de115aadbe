import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';

import type { EventDraft, EventType } from '../../domain/event/event.ts';
import { stampEvent } from '../../domain/event/stamp-event.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import type { Queries } from '../../ports/queries.ts';
import type { StoredEvents } from './known-events.ts';

/** The events of one payment, to be recorded in the transaction that changes the payment. */
export interface PaymentEvents {
  readonly payment: Payment;
  readonly drafts: readonly EventDraft[];
  /** The report stored before this transaction, verbatim, for events that are not about a new one. */
  readonly storedReport: string | null;
}

/** An event as it is stored. */
export interface EventRow {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly body: string;
}

/** Of the ids of `payment.completed`, see docs/events.md: never to be changed. */
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
): EventRow[] {
  return drafts.map((draft) =>
    stampEvent(draft, payment, storedReport, {
      id: eventIdOf(draft.type, payment.quoteId),
      source,
      time: now,
    }),
  );
}

/**
 * Writes a payment's events and their deliveries. The caller holds the payment's row lock in the same transaction, which
 * keeps two recorders of one payment apart. Answers what is stored once the transaction is committed.
 */
export async function recordEvents(
  queries: Queries,
  paymentId: string,
  recorded: PaymentEvents,
  source: string,
  now: Date,
): Promise<StoredEvents> {
  const rows = eventRows(recorded, source, now);
  await queries.query(RECORD_EVENTS, [
    rows.map((row) => row.id),
    rows.map(() => paymentId),
    rows.map((row) => row.sequence),
    rows.map((row) => row.type),
    rows.map((row) => row.body),
    now,
  ]);
  return { ids: rows.slice(-1).map(({ id }) => id), epoch: recorded.payment.epoch };
}

const RECORD_EVENTS = `
  SELECT record_events_v2($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::timestamptz, '{}', '{}')`;
