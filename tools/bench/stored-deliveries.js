/** A million stored deliveries, made by PostgreSQL itself: most of them delivered, the others waiting for a retry. */

import { pause } from './pause.js';

const CHUNK = 50_000;
/** The number of endpoints that each event has a delivery to. */
const ENDPOINTS_EACH = 10;
/** The approximate size of an event with its report. */
const BODY_CHARACTERS = 1_200;

/**
 * One of ten deliveries is pending, evenly over the endpoints. `endpoints` has to be a divisor of `deliveries`.
 * @param {import('./database.js').Database} database
 * @param {{ deliveries: number, endpoints: number }} counts
 */
export async function addStoredDeliveries(database, { deliveries, endpoints }) {
  await database.pool.query(ADD_ENDPOINTS, [endpoints]);
  await database.pool.query(ADD_EVENTS, [deliveries / ENDPOINTS_EACH, BODY_CHARACTERS]);
  for (let first = 0; first < deliveries; first += CHUNK) {
    const last = Math.min(first + CHUNK, deliveries) - 1;
    await database.pool.query(ADD_DELIVERIES, [first, last, ENDPOINTS_EACH, endpoints]);
    // Ctrl-C ends it here.
    await pause(0);
  }
  await database.pool.query('VACUUM ANALYZE payment, event_entry, payment_text, delivery, destination');
}

/** Paybell sends nothing to these endpoints, so that they need no secret. */
const ADD_ENDPOINTS = `
  INSERT INTO destination (id, kind, enabled, url, created_at)
  SELECT gen_random_uuid(), 'webhook', true, 'http://127.0.0.1:9/' || n, now() + n * interval '1 microsecond'
  FROM generate_series(1, $1::int) n`;

const ADD_EVENTS = `
  WITH paid AS (
    INSERT INTO payment (provider, quote_id, order_id, metadata, status, late, sequence, tracking, created_at, updated_at,
      progress_at, ended_at, part_digests, report_digest, stalls, contradictions)
    SELECT 'http', gen_random_uuid()::text, 'A-' || n, '{"shop":"bench"}', 'COMPLETED', false, 1, 'closed',
      now() - n * interval '1 second', now(), now(), now(), '|||', left(md5(n::text), 16), '{}', '{}'
    FROM generate_series(1, $1::int) n
    RETURNING id
  ), kept AS (
    INSERT INTO payment_text (payment_id, texts) SELECT id, ARRAY[NULL, rpad(md5(id::text), $2::int, 'x')] FROM paid
  )
  INSERT INTO event_entry (id, payment_id, sequence, type, time, slot)
  SELECT gen_random_uuid(), id, 1, 'payment.completed', now(), 2 FROM paid`;

/** Retries are due in ten minutes to two hours, after the measurement. */
const ADD_DELIVERIES = `
  WITH events AS (
    SELECT position, payment_id, row_number() OVER (ORDER BY position) - 1 AS n FROM event
  ), endpoints AS (
    SELECT id, row_number() OVER (ORDER BY created_at) - 1 AS n FROM destination WHERE kind = 'webhook'
  ), numbered AS (
    SELECT n, n / $4::int % 10 = 9 AS pending FROM generate_series($1::int, $2::int) n
  )
  INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, due_at, attempts, retries,
    first_attempt_at, last_attempt_at, last_failure)
  SELECT x.id, e.payment_id, e.position, 1, CASE WHEN d.pending THEN 'pending' ELSE 'delivered' END, 'head',
    CASE WHEN d.pending THEN now() + interval '10 minutes' + random() * interval '110 minutes' END,
    CASE WHEN d.pending THEN 5 ELSE 1 END, CASE WHEN d.pending THEN 5 ELSE 1 END,
    now() - interval '5 minutes', now() - interval '5 minutes', CASE WHEN d.pending THEN 'timeout' END
  FROM numbered d
  JOIN events e ON e.n = d.n / $3::int
  JOIN endpoints x ON x.n = d.n % $4::int`;
