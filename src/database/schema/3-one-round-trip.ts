import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outcomes of attempts; are_routed marks those that the broker has routed. */
export const SETTLE_DELIVERIES = `CREATE FUNCTION settle_deliveries(
     the_ids bigint[], the_tokens bigint[], the_states text[], the_in_ms bigint[], the_attempts int[],
     hold_lanes boolean[], the_failures text[], the_http_statuses smallint[], are_routed boolean[]
   ) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
   DECLARE
     held bigint[];
   BEGIN
     -- In the order of ids, as a recorder locks them too; only those whose claim still stands.
     SELECT array_agg(mine.n) INTO held FROM (
       SELECT i.n FROM delivery d
       JOIN unnest(the_ids, the_tokens) WITH ORDINALITY AS i (id, token, n) ON d.id = i.id AND d.token = i.token
       WHERE d.state = 'pending'
       ORDER BY d.id FOR UPDATE OF d
     ) mine;
     IF held IS NULL THEN RETURN; END IF;
     UPDATE delivery d
     SET state = i.state, leased = false, token = d.token + 1, attempts = d.attempts + i.attempt,
       retries = d.retries + i.attempt,
       first_attempt_at = coalesce(d.first_attempt_at, CASE WHEN i.attempt = 1 THEN d.last_attempt_at END),
       due_at = CASE WHEN i.state = 'pending' THEN now() + i.in_ms * interval '1 millisecond' END,
       lane = CASE WHEN i.holds_lane THEN d.lane ELSE 2 END,
       last_failure = CASE WHEN i.attempt = 0 THEN d.last_failure ELSE i.failure END,
       last_http_status = CASE WHEN i.attempt = 0 THEN d.last_http_status ELSE i.http_status END
     FROM unnest(the_ids, the_states, the_in_ms, the_attempts, hold_lanes, the_failures, the_http_statuses)
       WITH ORDINALITY AS i (id, state, in_ms, attempt, holds_lane, failure, http_status, n)
     WHERE d.id = i.id AND i.n = ANY (held);
     -- A statement of its own: it must see what was inserted while the lock was waited for.
     UPDATE delivery SET lane = 1, due_at = now()
     WHERE id = ANY (ARRAY(
       SELECT DISTINCT ON (w.payment_id, w.destination_id) w.id
       FROM delivery d
       JOIN delivery w ON w.payment_id = d.payment_id AND w.destination_id = d.destination_id
         AND w.state = 'pending' AND w.lane = 0
       WHERE d.id = ANY (SELECT the_ids[n] FROM unnest(held) AS h (n))
         AND NOT EXISTS (
           SELECT 1 FROM delivery h
           WHERE h.payment_id = d.payment_id AND h.destination_id = d.destination_id
             AND h.state = 'pending' AND h.lane = 1)
       ORDER BY w.payment_id, w.destination_id, w.sequence));
     -- Once a later event was routed, an earlier one that nobody was bound for would only come out of order.
     UPDATE delivery d SET state = 'failed', due_at = NULL
     FROM unnest(the_ids, are_routed) WITH ORDINALITY AS i (id, is_routed, n)
     JOIN delivery routed ON routed.id = i.id
     WHERE i.is_routed AND i.n = ANY (held) AND d.payment_id = routed.payment_id
       AND d.destination_id = routed.destination_id AND d.sequence < routed.sequence
       AND d.state = 'pending' AND d.lane = 2 AND d.last_failure = 'unroutable' AND NOT d.leased;
   END $$`;

/** The n-th elements of the arrays are one look; the_event_polls says to which look each event belongs. */
export const RECORD_POLLS = `CREATE FUNCTION record_polls(
     the_payments bigint[], the_tokens bigint[], the_in_ms int[], the_urgencies smallint[], are_silent boolean[],
     are_charged boolean[], the_poll_bys timestamptz[], the_unchanged timestamptz[], are_changes boolean[], the_bases int[], the_sequences int[], the_statuses text[],
     are_late boolean[], the_trackings text[], the_expiries timestamptz[], the_progresses timestamptz[],
     the_ends timestamptz[], the_marks text[], the_report_digests text[], the_stalls text[], the_contradictions text[],
     the_reports text[], the_event_polls int[], the_event_ids uuid[], the_event_sequences int[], the_event_types text[],
     the_event_bodies text[], the_time timestamptz, OUT overtaken int, OUT told int
   ) LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
   DECLARE
     held int[];
     kept int[];
   BEGIN
     -- The token is the fence: a look whose claim was taken over is not held.
     WITH rescheduled AS (
       UPDATE payment_schedule s
       SET due_at = least(now() + (coalesce(i.in_ms, 0) + ((SELECT stretch FROM provider_rate_limit)[i.urgency + 1] - 1)
             * least(coalesce(i.in_ms, 0), (SELECT scale_up_to_ms FROM provider_rate_limit)[i.urgency + 1]))
             * interval '1 millisecond',
           CASE WHEN i.poll_by > now() THEN greatest(i.poll_by, now() + i.in_ms * interval '1 millisecond')
             WHEN i.poll_by IS NOT NULL THEN now() + 10 * i.in_ms * interval '1 millisecond' END),
         poll_by = i.poll_by, unchanged_until = i.unchanged_until, mark = i.mark,
         interval_ms = coalesce(i.in_ms, s.interval_ms), urgency = i.urgency,
         silent_since = CASE WHEN i.is_silent THEN coalesce(s.silent_since, s.polled_at) END,
         answered_at = CASE WHEN i.is_silent THEN s.answered_at ELSE s.polled_at END,
         failures = CASE WHEN i.is_silent THEN least(s.failures + i.is_charged::int, 10000) ELSE 0 END
       FROM unnest(the_payments, the_tokens, the_in_ms, the_urgencies, are_silent, are_charged, the_poll_bys,
           the_unchanged, the_report_digests)
         WITH ORDINALITY
         AS i (id, token, in_ms, urgency, is_silent, is_charged, poll_by, unchanged_until, mark, n)
       WHERE s.payment_id = i.id AND s.token = i.token
       RETURNING i.n
     ) SELECT coalesce(array_agg(n), '{}') INTO held FROM rescheduled;
     -- The sequence is checked too: whatever else may happen, no number is given twice.
     WITH moved AS (
       UPDATE payment p
       SET sequence = i.sequence, status = i.status, late = i.late, tracking = i.tracking,
         expires_at = i.expires_at, progress_at = i.progress_at, ended_at = i.ended_at, marks = i.marks,
         report_digest = i.report_digest, stalls = ARRAY(SELECT json_array_elements_text(i.stalls::json)),
         contradictions = ARRAY(SELECT json_array_elements_text(i.contradictions::json)), updated_at = the_time
       FROM unnest(the_payments, are_changes, the_bases, the_sequences, the_statuses, are_late, the_trackings,
           the_expiries, the_progresses, the_ends, the_marks, the_report_digests, the_stalls, the_contradictions)
         WITH ORDINALITY
         AS i (id, is_change, base, sequence, status, late, tracking, expires_at, progress_at, ended_at, marks,
           report_digest, stalls, contradictions, n)
       WHERE p.id = i.id AND i.is_change AND i.n = ANY (held) AND p.sequence = i.base
       RETURNING i.n
     ) SELECT coalesce(array_agg(n), '{}') INTO kept FROM moved;
     -- Only what was written too is closed: a look that could not be stays due at once, for another look.
     WITH gone AS (
       DELETE FROM payment_schedule s
       USING unnest(the_payments, the_in_ms, are_changes) WITH ORDINALITY AS i (id, in_ms, is_change, n)
       WHERE s.payment_id = i.id AND i.in_ms IS NULL AND i.n = ANY (held) AND (NOT i.is_change OR i.n = ANY (kept))
       RETURNING s.payment_id, s.polled_at
     ) UPDATE payment p SET tracking = 'closed', last_polled_at = gone.polled_at
     FROM gone WHERE p.id = gone.payment_id;
     INSERT INTO payment_report (payment_id, body, reported_at)
     SELECT i.id, i.body, the_time FROM unnest(the_payments, the_reports) WITH ORDINALITY AS i (id, body, n)
     WHERE i.body IS NOT NULL AND i.n = ANY (kept)
     ON CONFLICT (payment_id) DO UPDATE SET body = excluded.body, reported_at = excluded.reported_at;
     overtaken := cardinality(the_payments) - cardinality(held);
     told := (SELECT count(*) FROM unnest(the_event_polls) AS e (look) WHERE e.look = ANY (kept));
     IF told > 0 THEN
       PERFORM record_events(
         array_agg(e.id), array_agg(the_payments[e.look]), array_agg(e.sequence), array_agg(e.type),
         array_agg(e.body), the_time)
       FROM unnest(the_event_polls, the_event_ids, the_event_sequences, the_event_types, the_event_bodies)
         AS e (look, id, sequence, type, body)
       WHERE e.look = ANY (kept);
     END IF;
   END $$`;

/**
 * What is recorded and settled in groups takes one round trip instead of eight. Each statement of a function sees what was
 * committed before it, as statements of a transaction do: the locks work as they did. Plans are made anew for each group,
 * since one that was made while a table was small would be kept when it has grown.
 */
const UP = [
  // Lanes: 0 waits behind the head, 1 is the head, 2 was let go of for having failed too long.
  `CREATE FUNCTION record_events(
     the_ids uuid[], the_payments bigint[], the_sequences int[], the_types text[], the_bodies text[], the_time timestamptz
   ) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
   DECLARE
     positions bigint[];
     is_waiting boolean;
   BEGIN
     WITH inserted AS (
       INSERT INTO event (id, payment_id, sequence, type, time, body)
       SELECT i.id, i.payment_id, i.sequence, i.type, the_time, i.body
       FROM unnest(the_ids, the_payments, the_sequences, the_types, the_bodies)
         AS i (id, payment_id, sequence, type, body)
       ORDER BY i.payment_id, i.sequence
       RETURNING position
     ) SELECT array_agg(position) INTO positions FROM inserted;
     -- Closes the race with a head that completes at this moment: whoever has the lock second sees what the first did.
     SELECT bool_or(d.waits) INTO is_waiting FROM (
       SELECT NOT leased AND retries > 0 AND (lane = 1 OR (lane = 2 AND last_failure = 'unroutable')) AS waits
       FROM delivery WHERE payment_id = ANY (the_payments) AND state = 'pending'
       ORDER BY id FOR UPDATE
     ) d;
     INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane, due_at)
     SELECT n.destination_id, n.payment_id, n.position, n.sequence,
       CASE WHEN n.is_head THEN 1 ELSE 0 END, CASE WHEN n.is_head THEN now() END
     FROM (
       SELECT x.id AS destination_id, e.payment_id, e.position, e.sequence,
         row_number() OVER (PARTITION BY x.id, e.payment_id ORDER BY e.sequence) = 1
         AND NOT EXISTS (
           SELECT 1 FROM delivery d
           WHERE d.payment_id = e.payment_id AND d.destination_id = x.id AND d.state = 'pending' AND d.lane <> 2
         ) AS is_head
       FROM event e
       JOIN destination x ON x.enabled AND (x.event_types = '{}' OR e.type = ANY (x.event_types))
       WHERE e.position = ANY (positions)
     ) n
     ORDER BY n.position;
     -- What waits for a retry in the lane of a new event is tried at once, beside its schedule: it uses up none of it.
     IF is_waiting THEN
       UPDATE delivery d SET due_at = now(), retries = d.retries - 1
       WHERE d.payment_id = ANY (the_payments) AND d.state = 'pending' AND d.due_at > now()
         AND NOT d.leased AND d.retries > 0 AND (d.lane = 1 OR (d.lane = 2 AND d.last_failure = 'unroutable'))
         AND EXISTS (
           SELECT 1 FROM delivery n
           WHERE n.payment_id = d.payment_id AND n.destination_id = d.destination_id
             AND n.event_position = ANY (positions));
     END IF;
   END $$`,

  RECORD_POLLS,

  // The most pressing first, but for what has waited long in a lower class: one short scan of the index for each class.
  // With statistics of a time when little was due, a bitmap scan would read and sort all that is due instead.
  `CREATE FUNCTION lock_due(the_limit int, slacks_ms float8[], froms_ms float8[])
   RETURNS SETOF bigint LANGUAGE sql ROWS 200 SET enable_bitmapscan = off SET enable_seqscan = off AS $$
     SELECT due.payment_id
     FROM unnest('{0,1,2,3}'::smallint[], slacks_ms, froms_ms) AS class (urgency, slack_ms, from_ms),
     LATERAL (
       SELECT payment_id, due_at FROM payment_schedule
       WHERE urgency = class.urgency AND due_at <= now() AND due_at >= to_timestamp(class.from_ms / 1000)
       ORDER BY due_at LIMIT the_limit FOR UPDATE SKIP LOCKED
     ) due
     ORDER BY due.due_at + class.slack_ms * interval '1 millisecond' LIMIT the_limit
   $$`,

  SETTLE_DELIVERIES,
];

const DOWN = ['settle_deliveries', 'lock_due', 'record_polls', 'record_events'].map(
  (name) => `DROP FUNCTION ${name}`,
);

export class OneRoundTrip1779000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
