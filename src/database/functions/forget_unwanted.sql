-- Removes what a webhook endpoint is owed of event types that it no longer wants, with the attempts: an event that it does
-- not want is neither sent to it nor counted as untold. Reads the next to_read deliveries in the_state from after_id on. The
-- lane behind a removed head goes on. Locks rows in the order of ids, as record_events and settle_deliveries do.
--   removed  how many deliveries were removed
--   read_to  the id of the last delivery that was read; null when all were read
CREATE OR REPLACE FUNCTION forget_unwanted(
  the_destination uuid,
  the_state text,
  after_id bigint,
  to_read int,
  OUT removed int,
  OUT read_to bigint
)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  wanted text[] := (SELECT event_types FROM destination WHERE id = the_destination AND kind = 'webhook' AND event_types <> '{}');
  unwanted bigint[];
  payments bigint[];
BEGIN
  removed := 0;
  IF wanted IS NULL THEN RETURN; END IF;
  WITH batch AS MATERIALIZED (
    SELECT destination_id, state, id, event_position FROM delivery
    WHERE (destination_id, state, id) > (the_destination, the_state, after_id) ORDER BY destination_id, state, id LIMIT to_read
  ), mine AS MATERIALIZED (
    SELECT id, event_position FROM batch WHERE destination_id = the_destination AND state = the_state
  )
  SELECT array_agg(m.id) FILTER (WHERE e.type <> ALL (wanted)), CASE WHEN count(*) = to_read THEN max(m.id) END
  INTO unwanted, read_to
  FROM mine m LEFT JOIN LATERAL (SELECT type FROM event_entry WHERE position = m.event_position OFFSET 0) e ON true;
  IF unwanted IS NULL THEN RETURN; END IF;
  -- Another process may have settled one of these deliveries meanwhile.
  SELECT array_agg(l.id), array_agg(DISTINCT l.payment_id) INTO unwanted, payments FROM (
    SELECT id, payment_id FROM delivery WHERE id = ANY (unwanted) AND state <> 'delivered' ORDER BY id FOR UPDATE
  ) l;
  DELETE FROM earlier_attempt WHERE delivery_id = ANY (unwanted);
  DELETE FROM delivery WHERE id = ANY (unwanted);
  GET DIAGNOSTICS removed = ROW_COUNT;
  -- lane_state sorts as waiting, head, released: see settle_deliveries.
  UPDATE delivery d SET lane_state = 'head', due_at = now()
  WHERE d.id = ANY (ARRAY(
    SELECT next.id FROM unnest(payments) AS p (id), LATERAL (
      SELECT w.id, w.lane_state = 'waiting' AND bool_and(w.lane_state <> 'head') OVER () AS is_next
      FROM (
        SELECT id, lane_state, sequence FROM delivery
        WHERE payment_id = p.id AND destination_id = the_destination AND state = 'pending' OFFSET 0
      ) w
      ORDER BY w.lane_state, w.sequence LIMIT 1
    ) next
    WHERE next.is_next));
END
$$;
