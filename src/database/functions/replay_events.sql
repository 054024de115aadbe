-- Makes events pending again at one endpoint, in the order of their lanes; answers how many. the_payments are the payments of
-- the events. While statistics say that a table or an endpoint has no rows, PostgreSQL would read the whole table for each
-- event. OFFSET 0 makes each lookup a step of its own; whole rows are compared so that only the index delivery_event serves
-- it.
CREATE OR REPLACE FUNCTION replay_events(the_destination uuid, the_positions bigint[], the_payments bigint[])
RETURNS int
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  in_lanes bigint[];
  replayed int;
BEGIN
  -- Locks the payments first, as all recorders do: no event is added to these lanes until the transaction ends.
  PERFORM 1 FROM payment WHERE id = ANY (the_payments) ORDER BY id FOR NO KEY UPDATE;
  INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane_state)
  SELECT the_destination, e.payment_id, e.position, e.sequence, 'waiting'
  FROM event e
  WHERE e.position = ANY (the_positions) AND NOT EXISTS (
    SELECT 1 FROM delivery d WHERE d.event_position = e.position AND (d.event_position, d.destination_id)
      BETWEEN (e.position, the_destination) AND (e.position, the_destination) OFFSET 0)
  ORDER BY e.position;
  SELECT array_agg(d.id) INTO in_lanes
  FROM unnest(the_payments) p (id)
  CROSS JOIN LATERAL (SELECT position FROM event WHERE payment_id = p.id OFFSET 0) e
  CROSS JOIN LATERAL (
    SELECT id FROM delivery WHERE event_position = e.position AND (event_position, destination_id)
      BETWEEN (e.position, the_destination) AND (e.position, the_destination) OFFSET 0) d;
  -- Then locks the lanes in the order of ids: a process that was settling one of these deliveries has finished, or waits.
  SELECT count(*) FILTER (WHERE l.event_position = ANY (the_positions)) INTO replayed FROM (
    SELECT event_position FROM delivery WHERE id = ANY (in_lanes) AND state <> 'delivered' ORDER BY id FOR UPDATE
  ) l;
  -- Runs as a statement of its own, which sees deliveries that were settled meanwhile. A replayed delivery begins its retry
  -- schedule anew, and its lane begins its patience anew. Another head of the lane keeps its retries, and an attempt in flight
  -- goes on.
  WITH lane AS MATERIALIZED (
    SELECT w.id, w.is_missed,
      NOT w.is_held AND row_number() OVER (PARTITION BY w.payment_id ORDER BY w.sequence) = 1 AS is_head
    FROM (
      SELECT l.id, l.payment_id, l.sequence, l.state, l.lane_state, l.leased,
        l.event_position = ANY (the_positions) AS is_missed,
        bool_or(l.state = 'pending' AND l.lane_state = 'head' AND l.leased) OVER (PARTITION BY l.payment_id) AS is_held
      FROM delivery l WHERE l.id = ANY (in_lanes)
    ) w
    WHERE w.state <> 'delivered' AND NOT w.leased
      AND (w.is_missed OR (w.state = 'pending' AND w.lane_state <> 'released'))
  )
  UPDATE delivery d
  SET state = 'pending', leased = false, token = d.token + 1,
    lane_state = (CASE WHEN n.is_head THEN 'head' ELSE 'waiting' END)::lane_state,
    due_at = CASE WHEN n.is_head THEN now() END, lane_due_at = NULL,
    retries = CASE WHEN n.is_missed THEN 0 WHEN d.due_at > now() THEN greatest(d.retries - 1, 0)
      ELSE d.retries END
  FROM lane n
  WHERE d.id = n.id AND d.id = ANY (in_lanes)
    AND (n.is_head OR d.state <> 'pending' OR d.lane_state <> 'waiting' OR (n.is_missed AND d.retries > 0)
      OR d.lane_due_at IS NOT NULL);
  RETURN replayed;
END
$$;
