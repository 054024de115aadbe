-- Counts the events since the_since that a webhook endpoint wants and has not acknowledged, with the first and last position
-- of them. No row when there is no such endpoint.
-- Nested loops are switched off: with old statistics, one reads the endpoint's whole backlog for each event.
CREATE OR REPLACE FUNCTION missed_events(the_destination uuid, the_since timestamptz)
RETURNS TABLE (event_count int, first_position bigint, last_position bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
SET enable_nestloop = off
AS $$
DECLARE
  wanted text[];
  from_position bigint;
  events bigint;
BEGIN
  SELECT x.event_types INTO wanted FROM destination x WHERE x.id = the_destination AND x.kind = 'webhook';
  IF NOT FOUND THEN RETURN; END IF;
  -- With count(*), PostgreSQL reads the index on time. For the minimum alone it walks the log from its beginning.
  SELECT min(e.position), count(*) INTO from_position, events FROM event e WHERE e.time >= the_since;
  RETURN QUERY
    SELECT count(*)::int, min(e.position), max(e.position) FROM event e
    WHERE e.time >= the_since AND (wanted = '{}' OR e.type = ANY (wanted)) AND NOT EXISTS (
      SELECT 1 FROM delivery d
      WHERE d.event_position = e.position AND d.event_position >= from_position
        AND d.destination_id = the_destination AND d.state = 'delivered');
END
$$;
