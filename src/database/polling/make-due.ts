import { FINAL } from '../payments/final.ts';
import { FIRST_TOKEN } from './claims.ts';

/**
 * Waits for a locked row, unlike a hint: a notice must not be lost. `noticed_at` outlasts a poll result that is recorded
 * later (record_polls). But a poll that finds nothing new records nothing, so this sets the due time too. A poll is certainly
 * over once its answer is recorded. A payment with news is probably in flight, and is polled before payments that only wait.
 * The due time is the clock's, not the transaction's: a watermark may lie above the latter.
 */
export const MAKE_DUE = `
  UPDATE payment_schedule s
  SET noticed_at = clock_timestamp(), urgency = 'in_flight',
    due_at = least(s.due_at, greatest(clock_timestamp(), s.polled_at + interval '1 millisecond' *
      CASE WHEN s.answered_at = s.polled_at THEN $3::float8 ELSE greatest($2::float8, $3::float8) END))
  WHERE s.payment_id = ANY (ARRAY(
    SELECT d.payment_id FROM payment_schedule d JOIN payment p ON p.id = d.payment_id
    WHERE p.quote_id = ANY ($1::text[]) AND p.status NOT IN (${FINAL})
    ORDER BY d.payment_id FOR UPDATE OF d))
  RETURNING (extract(epoch FROM s.due_at - clock_timestamp()) * 1000)::float8 AS in_ms`;

/**
 * An expired or failed payment is not polled for ever, but its deposit address accepts money for months: when its provider
 * reports news, it is polled once more. See CLAIM_NOW for its row in the schedule.
 */
export const POLL_ONCE_MORE = `
  INSERT INTO payment_schedule AS s (payment_id, provider, quote_id, report_digest, due_at, interval_ms, urgency, token, polled_at,
    answered_at)
  SELECT id, provider, quote_id, report_digest,
    greatest(clock_timestamp(), last_polled_at + $2::float8 * interval '1 millisecond'), 0, 'watching',
    ${FIRST_TOKEN}, last_polled_at, last_polled_at
  FROM payment
  WHERE quote_id = ANY ($1::text[]) AND tracking = 'closed' AND status NOT IN (${FINAL})
  ON CONFLICT (payment_id) DO NOTHING
  RETURNING (extract(epoch FROM s.due_at - clock_timestamp()) * 1000)::float8 AS in_ms`;
