-- Stores events of payments whose rows the caller has locked, and one delivery for each destination that wants the event. The
-- n-th elements of the arrays from the_ids to in_orders are one event; where in_orders is true, the event names the other
-- payments of its order: see name_others. report_payments and the_reports are new reports of these or other payments.
-- the_offers is a JSON array of lease_offer: the first delivery of a lane is inserted already leased where the calling
-- process offers to send it; otherwise a dispatcher claims it.
--   leased_deliveries  a JSON array: id, token, destinationId and eventId of each leased delivery, and the event's body where
--   it is not the caller's
--   due_destinations   the destinations that have other deliveries due now
-- The plans are kept: making them at each call would take longer than most calls. Each plan looks up rows by a key, lane by
-- lane; OFFSET 0 keeps PostgreSQL from turning the lookup into a scan, since a plan made for a small table stays when the
-- table has grown. jit is off: the planner's high estimate for a forbidden scan would make PostgreSQL compile the plan.
CREATE OR REPLACE FUNCTION record_events(
  the_ids uuid[],
  the_payments bigint[],
  the_sequences int[],
  the_types text[],
  the_bodies text[],
  in_orders boolean[],
  the_time timestamptz,
  report_payments bigint[],
  the_reports text[],
  the_offers json,
  OUT leased_deliveries json,
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
  present record;
  rank bigint;
  slots smallint[];
  positions bigint[];
  waiting bigint[];
  named int[] := array_positions(in_orders, true);
  disabled uuid[];
  has_receiver boolean;
BEGIN
  SELECT j.epoch, j.log_offset INTO present FROM join_log() j;
  rank := present.log_offset + pg_current_xact_id()::text::bigint;
  IF cardinality(named) > 0 THEN the_bodies := name_others(the_payments, in_orders, the_bodies); END IF;
  slots := keep_texts(report_payments, the_reports, the_payments, the_bodies, the_time);
  IF cardinality(the_ids) = 0 THEN RETURN; END IF;
  WITH inserted AS (
    INSERT INTO event_entry (id, payment_id, sequence, type, time, body, slot, log_rank)
    SELECT i.id, i.payment_id, i.sequence, i.type, the_time, CASE WHEN i.slot IS NULL THEN i.body END, i.slot, rank
    FROM unnest(the_ids, the_payments, the_sequences, the_types, the_bodies, slots)
      AS i (id, payment_id, sequence, type, body, slot)
    ORDER BY i.payment_id, i.sequence
    RETURNING position
  ) SELECT array_agg(position) INTO positions FROM inserted;
  -- The lock settles the race with a head that is being settled: the later transaction sees the writes of the earlier one.
  SELECT array_agg(d.id) FILTER (WHERE d.waits) INTO waiting FROM (
    SELECT id, state = 'pending' AND NOT leased AND retries > 0
      AND (lane_state = 'head' OR (lane_state = 'released' AND last_failure = 'unroutable')) AS waits
    FROM delivery
    WHERE id = ANY (ARRAY(
      SELECT d.id FROM unnest(the_payments) AS i (payment_id),
      LATERAL (SELECT id FROM delivery WHERE payment_id = i.payment_id AND state = 'pending' OFFSET 0) d))
    ORDER BY id FOR UPDATE
  ) d;
  WITH new_delivery AS (
    SELECT x.id AS destination_id, e.payment_id, e.position, e.sequence, lane.due_at AS lane_due_at,
      row_number() OVER (PARTITION BY x.id, e.payment_id ORDER BY e.sequence) = 1 AND lane.is_held IS NOT TRUE AS is_head
    FROM event_entry e
    JOIN destination x ON x.enabled AND (x.event_types = '{}' OR e.type = ANY (x.event_types)),
    LATERAL (
      SELECT bool_or(d.lane_state <> 'released') AS is_held, min(d.lane_due_at) AS due_at
      FROM (
        SELECT lane_state, lane_due_at FROM delivery
        WHERE payment_id = e.payment_id AND destination_id = x.id AND state = 'pending' OFFSET 0
      ) d
    ) lane
    WHERE e.position = ANY (positions)
  ), inserted AS (
    INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane_state, lane_due_at, due_at, leased, token,
      last_attempt_at)
    SELECT n.destination_id, n.payment_id, n.position, n.sequence,
      (CASE WHEN n.is_head THEN 'head' ELSE 'waiting' END)::lane_state, n.lane_due_at,
      -- The lease begins now: the transaction may have waited for locks since its start.
      CASE WHEN n.lease_ms IS NOT NULL THEN clock_timestamp() + n.lease_ms * interval '1 millisecond'
        WHEN n.is_head THEN now() ELSE greatest(n.lane_due_at, CASE WHEN n.lane_due_at IS NOT NULL THEN now() END) END,
      n.lease_ms IS NOT NULL, (n.lease_ms IS NOT NULL)::int, CASE WHEN n.lease_ms IS NOT NULL THEN now() END
    FROM (
      SELECT h.*, CASE
        WHEN h.is_head AND count(*) FILTER (WHERE h.is_head) OVER (PARTITION BY h.destination_id ORDER BY h.position) <= o.free
        THEN o.lease_ms END AS lease_ms
      FROM new_delivery h
      LEFT JOIN json_to_recordset(the_offers) AS o (destination_id uuid, free int, lease_ms bigint) USING (destination_id)
    ) n
    ORDER BY n.position
    RETURNING id, token, destination_id, event_position, coalesce(due_at <= now(), false) AS is_due, delivery.leased AS is_leased
  )
  SELECT json_agg(json_build_object('id', i.id::text, 'token', i.token::text, 'destinationId', i.destination_id,
      'eventId', e.id, 'body', the_bodies[(SELECT n FROM unnest(named) AS n WHERE the_ids[n] = e.id)])) FILTER (WHERE i.is_leased),
    array_agg(DISTINCT i.destination_id) FILTER (WHERE i.is_due AND NOT i.is_leased),
    (SELECT array_agg(x.id) FROM destination x WHERE NOT x.enabled AND x.url IS NOT NULL),
    EXISTS (SELECT FROM destination x WHERE x.enabled AND gets_payments(x.event_types))
  INTO leased_deliveries, due_destinations, disabled, has_receiver
  FROM inserted i LEFT JOIN event_entry e ON e.position = i.event_position AND i.is_leased;
  -- Deliveries that are never attempted keep the events that a disabled endpoint is not sent, and those without a receiver:
  -- see domain/event/told.ts. Event types that no endpoint subscribes to are left out. An endpoint for operational events
  -- alone is no receiver. Both parts use the destinations that the statement above has read: if an endpoint is enabled
  -- meanwhile, a second reading would leave no trace of the event.
  IF disabled IS NOT NULL OR NOT has_receiver THEN
    INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state)
    SELECT coalesce(x.id, '00000000-0000-0000-0000-000000000000'), e.payment_id, e.position, e.sequence, 'discarded', 'waiting'
    FROM event_entry e
    LEFT JOIN destination x ON x.id = ANY (disabled) AND (x.event_types = '{}' OR e.type = ANY (x.event_types))
    WHERE e.position = ANY (positions) AND (x.id IS NOT NULL OR NOT has_receiver);
  END IF;
  -- A new event makes a waiting retry in its lane due at once, but not twice in 5 s. This attempt is not a scheduled retry,
  -- and does not count against the endpoint.
  IF waiting IS NOT NULL THEN
    WITH fresh AS MATERIALIZED (
      SELECT payment_id, destination_id FROM delivery WHERE event_position = ANY (positions)
    ), brought AS (
      UPDATE delivery d SET retries = d.retries - 1, is_unscheduled = true, due_at = CASE
        WHEN d.last_failure = 'unroutable' THEN now()
        ELSE greatest(now(), d.last_attempt_at + interval '5 seconds') END
      WHERE d.id = ANY (waiting) AND NOT d.is_unscheduled
        AND d.due_at > CASE WHEN d.last_failure = 'unroutable' THEN now()
          ELSE greatest(now(), d.last_attempt_at + interval '5 seconds') END
        AND (d.payment_id, d.destination_id) IN (SELECT n.payment_id, n.destination_id FROM fresh n)
      RETURNING d.destination_id
    ) SELECT due_destinations || array_agg(DISTINCT b.destination_id) INTO due_destinations FROM brought b;
  END IF;
END
$$;
