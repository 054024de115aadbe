import type { Transition } from '../../domain/payment/transition.ts';
import type { Queries } from '../../ports/queries.ts';
import { recordEvents, type RecordedEvents, type Recording } from '../events/record-events.ts';
import { rowOf, type PaymentRow } from './payment-row.ts';

/**
 * Writes a payment that something else than a poll has changed, and its events with their deliveries. The caller has the
 * payment's label turn. Null when the payment is not at the sequence any more that it was read at: nothing is written then.
 */
export async function writeTransition(
  queries: Queries,
  { id, sequence }: Pick<PaymentRow, 'id' | 'sequence'>,
  { payment, events }: Transition,
  recording: Recording,
): Promise<RecordedEvents | null> {
  // In the order of record_polls. The poll that may be under way has no claim any more.
  const closed = payment.tracking === 'closed' ? await queries.query<{ polled_at: Date }>(CLOSE, [id]) : [];
  const row = rowOf(payment);
  const written = await queries.query(WRITE, [
    id,
    sequence,
    ...WRITTEN.map((column) => row[column]),
    recording.now,
    closed[0]?.polled_at ?? null,
  ]);
  if (written.length === 0) return null;
  // After the payment was locked: no other report is stored before the event is recorded.
  const [stored] = await queries.query<{ body: string }>(READ_REPORT, [id]);
  const recorded = { payment, drafts: events, storedReport: stored?.body ?? null };
  return recordEvents(queries, id, recorded, recording);
}

/** The columns of a payment that a person, the shop or the chain may change. */
const WRITTEN = [
  'sequence',
  'epoch',
  'order_id',
  'metadata',
  'resolution',
  'status',
  'late',
  'tracking',
  'progress_at',
  'ended_at',
  'stalls',
  'contradictions',
] as const;

const CLOSE = `DELETE FROM payment_schedule WHERE payment_id = $1 RETURNING polled_at`;

const WRITE = `
  UPDATE payment SET ${WRITTEN.map((column, index) => `${column} = $${index + 3}`).join(', ')},
    updated_at = $${WRITTEN.length + 3}, last_polled_at = coalesce($${WRITTEN.length + 4}, last_polled_at)
  WHERE id = $1 AND sequence = $2 RETURNING 1`;

const READ_REPORT = `SELECT body FROM payment_report WHERE payment_id = $1`;
