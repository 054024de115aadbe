import type { Payment } from '../../domain/payment/payment.ts';
import type { Transition } from '../../domain/payment/transition.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { Queries } from '../../ports/queries.ts';
import type { Database } from '../connection/database.ts';
import { takeLabelTurn } from '../events/label-lock.ts';
import { paymentOf, rowOf, SELECTED_COLUMNS, type PaymentRow } from './payment-row.ts';
import { recordEvents, type RecordedEvents, type Recording } from '../events/record-events.ts';

/** What a person or the shop changes about a payment: its label or its resolution. Pure. */
export type PaymentChange = (payment: Payment, now: Date) => Transition;

/** Null when there is nothing to change. */
export async function changePayment(
  database: Database,
  quoteId: string,
  change: PaymentChange,
  source: string,
  offers: readonly LeaseOffer[],
  clock: Clock,
): Promise<RecordedEvents | null> {
  const tryOnce = async (queries: Queries): Promise<RecordedEvents | null | 'outdated'> => {
    await takeLabelTurn(queries, [quoteId]);
    // Read before the transaction begins to write, which keeps the order of the log.
    const [row] = await queries.query<PaymentRow>(READ, [quoteId]);
    if (row === undefined) return null;
    // The time is taken after the payment was read: the new event must not be older than those that it has.
    const now = clock.now();
    const transition = change(paymentOf(row), now);
    if (transition.events.length === 0) return null;
    return (await writeChange(queries, row, transition, { source, offers, now })) || 'outdated';
  };
  for (;;) {
    // Again when a poll has moved the payment since it was read.
    const written = await database.transaction(tryOnce);
    if (written !== 'outdated') return written;
  }
}

/** Null when the payment is not at the sequence any more that it was read at: nothing is written then. */
async function writeChange(
  queries: Queries,
  { id, sequence }: PaymentRow,
  { payment, events }: Transition,
  recording: Recording,
): Promise<RecordedEvents | null> {
  const { order_id: orderId, metadata, resolution } = rowOf(payment);
  const written = await queries.query(WRITE, [
    id,
    sequence,
    payment.sequence,
    orderId,
    metadata,
    recording.now,
    payment.epoch,
    resolution,
  ]);
  if (written.length === 0) return null;
  // After the payment was locked: no other report is stored before the event is recorded.
  const [stored] = await queries.query<{ body: string }>(READ_REPORT, [id]);
  const recorded = { payment, drafts: events, storedReport: stored?.body ?? null };
  return recordEvents(queries, id, recorded, recording);
}

const READ = `SELECT ${SELECTED_COLUMNS} FROM payment p WHERE p.quote_id = $1`;

const WRITE = `
  UPDATE payment
  SET sequence = $3, order_id = $4, metadata = $5, updated_at = $6, epoch = $7, resolution = $8
  WHERE id = $1 AND sequence = $2 RETURNING 1`;

const READ_REPORT = `SELECT body FROM payment_report WHERE payment_id = $1`;
