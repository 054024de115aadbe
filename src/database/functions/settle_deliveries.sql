-- Writes the outcomes of delivery attempts and makes the next delivery of each lane its head. The n-th elements of the arrays
-- are one attempt.
--   held              the attempts that were written; the deliveries of the others had been claimed again or discarded
--   meanwhile
--   due_destinations  the destinations at which the next delivery of a lane is due now
-- are_kept marks attempts that are stored. A delivery's row holds its newest attempt, earlier_attempt the others; for a
-- destination without a URL, which is retried without end, only the first twenty. Once the head of a lane fails, the events
-- behind it wait for the_patiences_ms and no longer: the end of that time is their due time, so that a claim finds them then.
-- It stays the lane's until the lane is empty. The plans look up each row by a key, whatever the statistics say, and are
-- kept: see record_events.
CREATE OR REPLACE FUNCTION settle_deliveries(
  the_ids bigint[],
  the_tokens bigint[],
  the_states text[],
  the_in_ms bigint[],
  the_attempts int[],
  hold_lanes boolean[],
  the_patiences_ms bigint[],
  the_failures text[],
  the_codes text[],
  the_http_statuses smallint[],
  are_routed boolean[],
  are_kept boolean[],
  the_durations int[],
  the_ages_ms float8[],
  the_addresses text[],
  the_excerpts text[],
  OUT held bigint[],
  OUT due_destinations uuid[]
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
  most_kept CONSTANT int := 20;
  has_earlier boolean;
  has_passed boolean;
BEGIN
  -- Locks in the order of ids, as record_events does.
  SELECT array_agg(i.n), bool_or(mine.is_earlier) INTO held, has_earlier
  FROM (SELECT * FROM unnest(the_ids, the_tokens) WITH ORDINALITY AS i (id, token, n) ORDER BY i.id OFFSET 0) i,
  LATERAL (
    SELECT token, state, attempt_made_at IS NOT NULL AS is_earlier FROM delivery WHERE id = i.id OFFSET 0 FOR UPDATE
  ) mine
  WHERE mine.token = i.token AND mine.state = 'pending';
  IF held IS NULL THEN RETURN; END IF;
  IF has_earlier THEN
    INSERT INTO earlier_attempt (delivery_id, number, made_at, duration_ms, address, http_status, failure, code, excerpt)
    SELECT d.id, d.attempts, d.attempt_made_at, d.attempt_ms, d.attempt_address, d.last_http_status, d.last_failure,
      d.last_code, d.attempt_excerpt
    FROM unnest(the_ids, the_attempts) WITH ORDINALITY AS i (id, attempt, n),
    LATERAL (SELECT * FROM delivery WHERE id = i.id OFFSET 0) d
    WHERE i.attempt = 1 AND i.n = ANY (held) AND d.attempt_made_at IS NOT NULL
      AND (d.attempts <= most_kept OR EXISTS (SELECT FROM destination x WHERE x.id = d.destination_id AND x.url IS NOT NULL));
  END IF;
  UPDATE delivery d
  SET state = i.state, leased = false, token = d.token + 1, attempts = d.attempts + i.attempt,
    retries = d.retries + i.attempt,
    -- The time since when the delivery has failed: see refused_since.
    first_attempt_at = CASE WHEN i.state <> 'delivered'
      THEN coalesce(d.first_attempt_at, CASE WHEN i.attempt = 1 THEN d.last_attempt_at END) END,
    due_at = CASE WHEN i.state = 'pending' THEN now() + i.in_ms * interval '1 millisecond' END,
    lane_state = CASE WHEN i.holds_lane THEN d.lane_state ELSE 'released' END,
    lane_due_at = coalesce(d.lane_due_at, CASE WHEN d.lane_state = 'head' AND i.holds_lane AND i.failure IS NOT NULL
      THEN now() + i.patience_ms * interval '1 millisecond' END),
    is_unscheduled = d.is_unscheduled AND i.attempt = 0,
    last_failure = CASE WHEN i.attempt = 0 THEN d.last_failure ELSE i.failure END,
    last_code = CASE WHEN i.attempt = 0 THEN d.last_code ELSE i.code END,
    last_http_status = CASE WHEN i.attempt = 0 THEN d.last_http_status ELSE i.http_status END,
    attempt_made_at = CASE WHEN i.attempt = 0 THEN d.attempt_made_at
      WHEN i.is_kept THEN now() - i.age_ms * interval '1 millisecond' END,
    attempt_ms = CASE WHEN i.attempt = 0 THEN d.attempt_ms WHEN i.is_kept THEN i.duration_ms END,
    attempt_address = CASE WHEN i.attempt = 0 THEN d.attempt_address WHEN i.is_kept THEN i.address END,
    attempt_excerpt = CASE WHEN i.attempt = 0 THEN d.attempt_excerpt WHEN i.is_kept THEN i.excerpt END
  FROM unnest(the_ids, the_states, the_in_ms, the_attempts, hold_lanes, the_patiences_ms, the_failures, the_codes,
      the_http_statuses, are_kept, the_durations, the_ages_ms, the_addresses, the_excerpts)
    WITH ORDINALITY AS i (id, state, in_ms, attempt, holds_lane, patience_ms, failure, code, http_status, is_kept,
      duration_ms, age_ms, address, excerpt, n)
  WHERE d.id = i.id AND d.id = ANY (the_ids) AND i.n = ANY (held);
  -- Runs as a statement of its own to see deliveries that were inserted while it waited for the lock. It goes lane by lane in
  -- the order of the index: with old statistics, a join would read the endpoint's whole backlog for each lane. lane_state
  -- sorts as waiting, head, released.
  WITH lanes AS MATERIALIZED (
    SELECT d.payment_id, d.destination_id, min(d.lane_due_at) AS due_at FROM delivery d
    WHERE d.id = ANY (ARRAY(SELECT the_ids[n] FROM unnest(held) AS h (n)))
    GROUP BY d.payment_id, d.destination_id
  ), first AS MATERIALIZED (
    SELECT next.* FROM lanes l, LATERAL (
      SELECT w.id, w.lane_state = 'waiting' AND bool_and(w.lane_state <> 'head') OVER () AS is_next,
        bool_or(w.lane_state = 'released') OVER () AS is_passed
      FROM (
        SELECT id, lane_state, sequence FROM delivery
        WHERE payment_id = l.payment_id AND destination_id = l.destination_id AND state = 'pending'
        ORDER BY payment_id, destination_id, sequence OFFSET 0
      ) w
      ORDER BY w.lane_state, w.sequence LIMIT 1
    ) next
  ), moved AS (
    UPDATE delivery d SET lane_state = 'head', due_at = now(), lane_due_at = coalesce(d.lane_due_at, l.due_at)
    FROM lanes l
    WHERE d.id = ANY (ARRAY(SELECT id FROM first WHERE is_next)) AND l.payment_id = d.payment_id
      AND l.destination_id = d.destination_id
    RETURNING d.destination_id
  ), limited AS (
    UPDATE delivery d SET lane_due_at = l.due_at, due_at = greatest(l.due_at, now())
    FROM lanes l
    WHERE d.id = ANY (ARRAY(
        SELECT w.id FROM lanes l, LATERAL (
          SELECT id, lane_state, lane_due_at FROM delivery
          WHERE payment_id = l.payment_id AND destination_id = l.destination_id AND state = 'pending'
          ORDER BY payment_id, destination_id, sequence OFFSET 0
        ) w
        WHERE l.due_at IS NOT NULL AND w.lane_state = 'waiting' AND w.lane_due_at IS NULL))
      AND d.id <> ALL (ARRAY(SELECT id FROM first WHERE is_next))
      AND l.payment_id = d.payment_id AND l.destination_id = d.destination_id
  )
  SELECT (SELECT array_agg(DISTINCT destination_id) FROM moved), (SELECT bool_or(is_passed) FROM first)
  INTO due_destinations, has_passed;
  IF has_passed IS NOT TRUE THEN RETURN; END IF;
  -- Once a later event was routed to a queue, an earlier event without a queue would only arrive out of order.
  UPDATE delivery d SET state = 'failed', due_at = NULL
  WHERE d.id = ANY (ARRAY(
    SELECT earlier.id FROM unnest(the_ids, are_routed) WITH ORDINALITY AS i (id, is_routed, n),
    LATERAL (SELECT payment_id, destination_id, sequence FROM delivery WHERE id = i.id OFFSET 0) routed,
    LATERAL (
      SELECT id, lane_state, last_failure, leased, sequence FROM delivery
      WHERE payment_id = routed.payment_id AND destination_id = routed.destination_id AND state = 'pending' OFFSET 0
    ) earlier
    WHERE i.is_routed AND i.n = ANY (held) AND earlier.sequence < routed.sequence
      AND earlier.lane_state = 'released' AND earlier.last_failure = 'unroutable' AND NOT earlier.leased))
    -- Stands outside the array: as conditions there, PostgreSQL would serve them from an index, and read it from end to end.
    AND d.state <> 'delivered' AND NOT d.leased;
END
$$;
