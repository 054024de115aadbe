import { storedFold } from '../../domain/payment/search.ts';
import type { Transition } from '../../domain/transitions/transition.ts';
import type { Queries } from '../../ports/queries.ts';
import { recordEvents, type RecordedEvents, type Recording } from '../events/record-events.ts';
import { rowOf, type PaymentRow } from './payment-row.ts';

/**
 * Writes a change of a payment that did not come from a poll, with its events and deliveries. The caller has the payment's
 * label lock. Writes nothing and returns null if a poll has changed the payment since it was read, even without an event.
 */
export async function writeTransition(
  queries: Queries,
  before: PaymentRow,
  { payment, events }: Transition,
  recording: Recording,
): Promise<RecordedEvents | null> {
  const { id } = before;
  const row = { ...rowOf(payment), order_fold: storedFold(payment.orderId) };
  const written = await queries.query(WRITE, [
    id,
    recording.now,
    ...WRITTEN.map((column) => row[column]),
    ...READ_AS.map((column) => before[column]),
  ]);
  if (written.length === 0) return null;
  // Reads the report once the payment is locked: no other report is stored before the event is recorded.
  const [stored] = await queries.query<{ body: string }>(READ_REPORT, [id]);
  const recorded = { payment, drafts: events, storedReport: stored?.body ?? null };
  return recordEvents(queries, id, recorded, recording);
}

/** The columns of a payment that a person, the shop or the chain may change. */
const WRITTEN = [
  'sequence',
  'epoch',
  'order_id',
  'order_fold',
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

/** A poll that changes the row changes at least one of these columns. */
const READ_AS = ['sequence', 'report_digest', 'tracking', 'stalls', 'part_digests'] as const;

const WRITE = `
  UPDATE payment SET updated_at = $2, ${WRITTEN.map((column, index) => `${column} = $${index + 3}`).join(', ')}
  WHERE id = $1 AND ${READ_AS.map((column, index) => `${column} = $${index + 3 + WRITTEN.length}`).join(' AND ')}
  RETURNING 1`;

const READ_REPORT = `SELECT body FROM payment_report WHERE payment_id = $1`;
