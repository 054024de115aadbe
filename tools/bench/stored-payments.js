/** A million stored payments, made by PostgreSQL itself: most of them closed, the others open in every class. */

import { pause } from './pause.js';

const CHUNK = 50_000;

/** Reports and quotes are left out: no claim reads them. */
export async function addStoredPayments(
  /** @type {import('./database.js').Database} */ database,
  /** @type {{ payments: number, open: number, intervalMs: number }} */ { payments, open, intervalMs },
) {
  const openEvery = payments / open;
  for (let first = 0; first < payments; first += CHUNK) {
    await database.pool.query(ADD, [first, Math.min(first + CHUNK, payments) - 1, openEvery, intervalMs]);
    // Ctrl-C ends it here.
    await pause(0);
  }
  await database.pool.query('VACUUM ANALYZE payment, payment_schedule');
}

/** Of ten open payments, one has money in flight, two are attended, five are not, and two are watched. */
const ADD = `
  WITH numbered AS (
    SELECT n, n % $3::int = 0 AS open, (n / $3::int) % 10 AS tenth FROM generate_series($1::int, $2::int) n
  ), sorted AS (
    SELECT n, open, (CASE WHEN tenth = 0 THEN 'in_flight' WHEN tenth < 3 THEN 'attended' WHEN tenth < 8 THEN 'unattended'
      ELSE 'watching' END)::poll_urgency AS urgency
    FROM numbered
  ), paid AS (
    INSERT INTO payment (provider, quote_id, order_id, metadata, status, late, sequence, tracking, created_at, expires_at,
      updated_at, progress_at, ended_at, part_digests, report_digest, stalls, contradictions)
    SELECT 'http', gen_random_uuid()::text || '_' || n, 'A-' || n, '{"shop":"bench"}',
      CASE WHEN NOT open THEN 'COMPLETED' WHEN urgency = 'in_flight' THEN 'EXECUTING'
        WHEN urgency = 'watching' THEN 'EXPIRED' ELSE 'AWAITING_DEPOSIT' END,
      false, 2, CASE WHEN NOT open THEN 'closed' WHEN urgency = 'watching' THEN 'watching' ELSE 'active' END,
      now() - n * interval '1 second', to_timestamp(2000000000), now() - n * interval '1 second', now(),
      CASE WHEN open AND urgency < 'watching' THEN NULL ELSE now() END, '|||', left(md5(n::text), 16), '{}', '{}'
    FROM sorted
    RETURNING id, quote_id
  )
  INSERT INTO payment_schedule (provider, payment_id, quote_id, report_digest, due_at, interval_ms, urgency, polled_at, unchanged_until)
  SELECT 'http', p.id, p.quote_id, 'an-unchanged-one', now() + random() * $4 * interval '1 millisecond', $4, s.urgency, now(),
    CASE WHEN s.urgency < 'watching' THEN now() + interval '1 hour' END
  FROM paid p JOIN sorted s ON s.open AND s.n = split_part(p.quote_id, '_', 2)::int`;
