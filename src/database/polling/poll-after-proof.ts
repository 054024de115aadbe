import type { Payment } from '../../domain/payment/payment.ts';
import { pollBy } from '../../domain/polling/due-by.ts';
import { nextPoll, urgencyName, type UrgencyRules } from '../../domain/polling/urgency.ts';
import type { Queries } from '../../ports/queries.ts';
import { FIRST_TOKEN, NEXT_TOKEN } from './claims.ts';

/**
 * Schedules the next polls after a proof, not a poll, has completed the payment. Runs before the payment is written, in the
 * order of record_polls; a poll that is under way loses its claim.
 */
export async function pollAfterProof(
  queries: Queries,
  paymentId: string,
  payment: Payment,
  now: Date,
  rules: UrgencyRules,
): Promise<void> {
  const { inMs, urgency } = nextPoll(payment, now, rules);
  await queries.query(SCHEDULE, [paymentId, inMs, urgencyName(urgency), pollBy(payment, rules)]);
}

/** A payment that is no longer polled has no row; it gets one. */
const SCHEDULE = `
  INSERT INTO payment_schedule AS s (payment_id, provider, quote_id, report_digest, due_at, interval_ms, urgency, poll_by, token,
    polled_at, answered_at)
  SELECT id, provider, quote_id, report_digest, now() + $2::float8 * interval '1 millisecond', $2, $3, $4, ${FIRST_TOKEN},
    last_polled_at, last_polled_at
  FROM payment WHERE id = $1
  ON CONFLICT (payment_id) DO UPDATE
  SET token = ${NEXT_TOKEN}, due_at = excluded.due_at, interval_ms = excluded.interval_ms, urgency = excluded.urgency,
    poll_by = excluded.poll_by, unchanged_until = NULL, silent_since = NULL, failures = 0`;
