-- The payments with an event that one destination was not told, each once with the time of such an event: the oldest one, or
-- when the newest payments are asked for, the newest one. Answers at most the_most. domain/event/told.ts has the definition.
-- At a destination that was removed, or never existed, an event is told once another destination has acknowledged it: only a
-- bounded number of such deliveries is read. The small index payment_settled leaves out payments that a person has settled
-- otherwise. The query walks once through the index delivery_untold: with old statistics, PostgreSQL would rather sort the
-- endpoint's whole backlog.
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
      WHERE NOT EXISTS (SELECT FROM payment p WHERE p.id = n.payment_id AND is_settled(p.resolution) OFFSET 0)
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
      WHERE NOT EXISTS (SELECT FROM payment p WHERE p.id = n.payment_id AND is_settled(p.resolution) OFFSET 0)
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
      WHERE NOT EXISTS (SELECT FROM payment p WHERE p.id = n.payment_id AND is_settled(p.resolution) OFFSET 0)
      LIMIT the_most;
  END IF;
END
$$;
