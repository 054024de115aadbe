-- Counts the events since the_since that a webhook endpoint wants and has not acknowledged, among the next to_read events in
-- the order of (time, position). Answers no row when there is no such endpoint. To go on where a call ended, pass its read_to
-- and read_position. Whole rows are compared so that only the index delivery_event serves a lookup, whatever the statistics
-- are.
--   event_count     number of missed events
--   first_position  no missed event, and no event that was not read, has a lower position
--   last_position   no missed event, and no event that was not read, has a higher position
--   read_to         time of the last event that was read; null when all were read
CREATE OR REPLACE FUNCTION missed_events(
  the_destination uuid,
  the_since timestamptz,
  after_position bigint,
  to_read int
)
RETURNS TABLE (
  event_count int,
  first_position bigint,
  last_position bigint,
  read_to timestamptz,
  read_position bigint
)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
SET jit = off
AS $$
DECLARE
  wanted text[];
  events_read bigint;
BEGIN
  SELECT x.event_types INTO wanted FROM destination x WHERE x.id = the_destination AND x.kind = 'webhook';
  IF NOT FOUND THEN RETURN; END IF;
  WITH batch AS MATERIALIZED (
    SELECT e.position, e.time, e.type FROM event e
    WHERE (e.time, e.position) > (the_since, after_position) ORDER BY e.time, e.position LIMIT to_read
  ), missed AS (
    SELECT b.position FROM batch b
    WHERE (wanted = '{}' OR b.type = ANY (wanted)) AND 'delivered' <> ALL (
      SELECT d.state FROM delivery d WHERE d.event_position = b.position AND (d.event_position, d.destination_id)
        BETWEEN (b.position, the_destination) AND (b.position, the_destination))
  )
  SELECT (SELECT count(*) FROM batch), m.missed, m.first, m.last, l.time, l.position
  INTO events_read, event_count, first_position, last_position, read_to, read_position
  FROM (SELECT count(*)::int AS missed, min(position) AS first, max(position) AS last FROM missed) m
  LEFT JOIN (SELECT b.time, b.position FROM batch b ORDER BY b.time DESC, b.position DESC LIMIT 1) l ON true;
  IF events_read < to_read THEN
    read_to := NULL;
  ELSE
    -- Processes give the times, the database gives the positions: clocks are assumed to be right to within a day.
    SELECT least(first_position, min(e.position)) INTO first_position
    FROM (SELECT position FROM event WHERE time >= the_since - interval '1 day' ORDER BY time LIMIT 1000) e;
    last_position := (SELECT max(position) FROM event);
  END IF;
  RETURN NEXT;
END
$$;
