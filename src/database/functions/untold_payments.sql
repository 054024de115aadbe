-- The payments with an event that one destination was not told, each once with the time of one such event: that of the oldest, or
-- for the newest payments of the newest. the_most of them are answered at most. domain/event/told.ts has the definition. At a
-- destination that is no more, or that never was, an event is told once another destination has acknowledged it: of these only
-- a bounded number of deliveries is read.
-- Those that a person resolved are left out by the index payment_settled, which is small.
-- One walk through the index delivery_untold: with old statistics, PostgreSQL would rather sort the endpoint's whole backlog.
CREATE OR REPLACE FUNCTION untold_payments(the_destination uuid, before timestamptz, the_most int, is_newest boolean)
RETURNS TABLE (payment_id bigint, since timestamptz)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET enable_incremental_sort = off
SET max_parallel_workers_per_gather = 0
SET enable_hashagg = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  most_read CONSTANT int := 40000;
  last_id CONSTANT bigint := 9223372036854775807;
  is_present boolean := EXISTS (SELECT FROM destination x WHERE x.id = the_destination AND (x.enabled OR x.url IS NOT NULL));
BEGIN
  IF is_present AND NOT is_newest THEN
    RETURN QUERY
      SELECT n.payment_id, n.since FROM (
        SELECT DISTINCT ON (d.destination_id, d.payment_id) d.payment_id, d.created_at AS since FROM delivery d
        WHERE d.state <> 'delivered' AND (d.destination_id, d.payment_id) >= (the_destination, 0)
          AND (d.destination_id, d.payment_id) < (the_destination, last_id) AND d.created_at < before
        ORDER BY d.destination_id, d.payment_id, d.created_at OFFSET 0
      ) n
      WHERE NOT EXISTS (SELECT FROM payment p WHERE p.id = n.payment_id AND p.resolution IS NOT NULL OFFSET 0)
      LIMIT the_most;
  ELSIF NOT is_newest THEN
    RETURN QUERY
      SELECT n.payment_id, n.since FROM (
        SELECT DISTINCT ON (d.destination_id, d.payment_id) d.payment_id, d.created_at AS since FROM (
          SELECT d.destination_id, d.payment_id, d.created_at, d.event_position FROM delivery d
          WHERE d.state <> 'delivered' AND (d.destination_id, d.payment_id) >= (the_destination, 0)
            AND (d.destination_id, d.payment_id) < (the_destination, last_id) AND d.created_at < before
          ORDER BY d.destination_id, d.payment_id, d.created_at LIMIT most_read
        ) d
        WHERE NOT EXISTS (
          SELECT FROM delivery o WHERE o.event_position = d.event_position AND o.state = 'delivered' OFFSET 0)
        ORDER BY d.destination_id, d.payment_id, d.created_at OFFSET 0
      ) n
      WHERE NOT EXISTS (SELECT FROM payment p WHERE p.id = n.payment_id AND p.resolution IS NOT NULL OFFSET 0)
      LIMIT the_most;
  ELSE
    RETURN QUERY
      SELECT n.payment_id, n.since FROM (
        SELECT DISTINCT ON (d.destination_id, d.payment_id) d.payment_id, d.created_at AS since FROM (
          SELECT d.destination_id, d.payment_id, d.created_at, d.event_position FROM delivery d
          WHERE d.state <> 'delivered' AND (d.destination_id, d.payment_id) >= (the_destination, 0)
            AND (d.destination_id, d.payment_id) < (the_destination, last_id) AND d.created_at < before
          ORDER BY d.destination_id DESC, d.payment_id DESC, d.created_at DESC LIMIT most_read
        ) d
        WHERE is_present OR NOT EXISTS (
          SELECT FROM delivery o WHERE o.event_position = d.event_position AND o.state = 'delivered' OFFSET 0)
        ORDER BY d.destination_id DESC, d.payment_id DESC, d.created_at DESC OFFSET 0
      ) n
      WHERE NOT EXISTS (SELECT FROM payment p WHERE p.id = n.payment_id AND p.resolution IS NOT NULL OFFSET 0)
      LIMIT the_most;
  END IF;
END
$$;
