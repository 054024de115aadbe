import { URGENCY } from '../../domain/polling/urgency.ts';
import { FIRST_TOKEN } from '../payments/insert-payment.ts';

/** However many notices come: never two claims of a payment closer than this for their sake. */
export const MADE_DUE_GAP_MS = 1_000;

/**
 * The row is waited for, unlike for a hint: what was told must not be lost. `noticed_at` outlasts a look that is recorded
 * later (migration 10); one that finds nothing new writes nothing, so that the due time has to stand by itself. A look is
 * over for certain once its answer was recorded. What has changed is likely money in flight, and goes before what only waits. By the clock and not the transaction: no mark is above it by then.
 */
export const MAKE_DUE = `
  UPDATE payment_schedule s
  SET noticed_at = clock_timestamp(), urgency = ${URGENCY.inFlight},
    due_at = least(s.due_at, greatest(clock_timestamp(), s.polled_at + interval '1 millisecond' *
      CASE WHEN s.answered_at = s.polled_at THEN $3::float8 ELSE greatest($2::float8, $3::float8) END))
  WHERE s.payment_id = ANY (ARRAY(
    SELECT d.payment_id FROM payment_schedule d JOIN payment p ON p.id = d.payment_id
    WHERE p.quote_id = ANY ($1::text[]) AND p.status <> 'COMPLETED'
    ORDER BY d.payment_id FOR UPDATE OF d))
  RETURNING (extract(epoch FROM s.due_at - clock_timestamp()) * 1000)::float8 AS in_ms`;

/**
 * Nobody watches an expired or failed payment for ever, but a deposit address takes money for months: what its provider tells
 * of by itself is looked at once. See the claim of one payment for what such a row is.
 */
export const POLL_ONCE_MORE = `
  INSERT INTO payment_schedule AS s (payment_id, quote_id, mark, due_at, interval_ms, urgency, token, polled_at,
    answered_at)
  SELECT id, quote_id, report_digest,
    greatest(clock_timestamp(), last_polled_at + $2::float8 * interval '1 millisecond'), 0, ${URGENCY.watching},
    ${FIRST_TOKEN}, last_polled_at, last_polled_at
  FROM payment
  WHERE quote_id = ANY ($1::text[]) AND tracking = 'closed' AND status <> 'COMPLETED'
  ON CONFLICT (payment_id) DO NOTHING
  RETURNING (extract(epoch FROM s.due_at - clock_timestamp()) * 1000)::float8 AS in_ms`;
