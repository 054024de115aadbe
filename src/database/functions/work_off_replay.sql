-- Does one batch of a running replay that no other process works on: reads up to to_read events of the log and makes up to
-- to_replay of them pending. Answers how many it has made pending, null when no replay has work left.
CREATE OR REPLACE FUNCTION work_off_replay(to_read int, to_replay int)
RETURNS int
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  job event_replay;
  wanted text[];
  positions bigint[];
  payments bigint[];
  reached bigint;
  replayed int := 0;
BEGIN
  SELECT r.* INTO job FROM event_replay r WHERE r.state = 'running' ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT x.event_types INTO wanted FROM destination x
  WHERE x.id = job.destination_id AND x.kind = 'webhook' AND x.enabled;
  IF NOT FOUND THEN
    UPDATE event_replay SET state = 'stopped', finished_at = now() WHERE id = job.id;
    RETURN 0;
  END IF;
  WITH batch AS MATERIALIZED (
    SELECT position, payment_id, type, time FROM event
    WHERE position > job.cursor_position AND position <= job.until_position ORDER BY position LIMIT to_read
  ), missed AS (
    SELECT b.position, b.payment_id FROM batch b
    WHERE b.time >= job.since AND (wanted = '{}' OR b.type = ANY (wanted)) AND 'delivered' <> ALL (
      SELECT d.state FROM delivery d WHERE d.event_position = b.position AND (d.event_position, d.destination_id)
        BETWEEN (b.position, job.destination_id) AND (b.position, job.destination_id))
    ORDER BY b.position LIMIT to_replay
  )
  SELECT array_agg(m.position), array_agg(DISTINCT m.payment_id),
    CASE WHEN count(*) = to_replay THEN max(m.position)
      ELSE coalesce((SELECT max(b.position) FROM batch b), job.until_position) END
  INTO positions, payments, reached FROM missed m;
  IF positions IS NOT NULL THEN
    replayed := replay_events(job.destination_id, positions, payments);
    -- A merchant who asks for a replay tells us that the endpoint answers again, so an open circuit is probed now. Not
    -- earlier: while the replay had its deliveries locked, a dispatcher would have taken the probe and found nothing to send.
    UPDATE endpoint_circuit SET probe_at = now(), probed_at = NULL
    WHERE destination_id = job.destination_id AND state = 'open' AND job.done = 0;
  END IF;
  UPDATE event_replay
  SET cursor_position = reached, done = done + replayed, event_count = greatest(event_count, done + replayed),
    is_exact = is_exact OR reached >= until_position,
    state = CASE WHEN reached < until_position THEN 'running' ELSE 'done' END,
    finished_at = CASE WHEN reached >= until_position THEN clock_timestamp() END
  WHERE id = job.id;
  RETURN replayed;
END
$$;
