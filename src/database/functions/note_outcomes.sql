-- Opens, closes or keeps the circuits of webhook endpoints by the outcomes of attempts there. The n-th elements of the arrays
-- are one attempt; held is what settle_deliveries_v3 has answered, are_kept marks attempts at webhook endpoints.
-- Answers what has changed: opened, open, recovered or disabled.
-- A circuit gets its row with the first failure: an endpoint that works costs no write.
-- The plans are kept, as those of settle_deliveries_v3.
CREATE OR REPLACE FUNCTION note_outcomes(
  held bigint[],
  the_ids bigint[],
  the_failures text[],
  are_kept boolean[]
)
RETURNS TABLE (destination_id uuid, change text)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  opens_after CONSTANT int := 10;
  disabled_after_failures CONSTANT int := 20;
  disabled_after CONSTANT interval := '5 days';
  good uuid[];
  bad uuid[];
  counts int[];
BEGIN
  SELECT array_agg(e.destination_id) FILTER (WHERE e.is_good),
    array_agg(e.destination_id) FILTER (WHERE NOT e.is_good),
    array_agg(e.attempts) FILTER (WHERE NOT e.is_good)
  INTO good, bad, counts FROM (
    SELECT d.destination_id, bool_or(i.failure IS NULL) AS is_good, count(*)::int AS attempts
    FROM unnest(the_ids, the_failures, are_kept) WITH ORDINALITY AS i (id, failure, is_kept, n),
    LATERAL (SELECT destination_id FROM delivery WHERE id = i.id OFFSET 0) d
    WHERE i.is_kept AND i.n = ANY (held)
    GROUP BY d.destination_id
  ) e;
  -- All processes lock in this order, so that no two of them wait for each other.
  PERFORM 1 FROM endpoint_circuit c
  WHERE c.destination_id = ANY (bad)
    OR (c.destination_id = ANY (good) AND (c.failures > 0 OR c.state = 'open'))
  ORDER BY c.destination_id FOR UPDATE;
  IF FOUND THEN
    RETURN QUERY SELECT s.destination_id, s.change FROM note_success(good) s;
  END IF;
  IF good IS NOT NULL THEN
    -- Written every 5 seconds at most, and never while another process has the row locked: success must cost next to nothing.
    UPDATE destination x SET delivered_at = now()
    WHERE x.id = ANY (ARRAY(
      SELECT s.id FROM destination s
      WHERE s.id = ANY (good) AND (s.delivered_at IS NULL OR s.delivered_at < now() - interval '5 seconds')
      ORDER BY s.id FOR NO KEY UPDATE SKIP LOCKED));
  END IF;
  IF bad IS NULL THEN RETURN; END IF;
  RETURN QUERY
    INSERT INTO endpoint_circuit AS c (destination_id, state, failures, failing_since, probe_at, opened_at)
    SELECT f.id, CASE WHEN f.attempts >= opens_after THEN 'open' ELSE 'closed' END, f.attempts, now(),
      CASE WHEN f.attempts >= opens_after THEN now() + probe_wait(now()) END,
      CASE WHEN f.attempts >= opens_after THEN now() END
    FROM unnest(bad, counts) AS f (id, attempts)
    JOIN destination x ON x.id = f.id
    ORDER BY f.id
    ON CONFLICT (destination_id) DO UPDATE
    SET failures = c.failures + excluded.failures, failing_since = coalesce(c.failing_since, now()),
      state = CASE WHEN c.failures + excluded.failures >= opens_after THEN 'open' ELSE c.state END,
      probe_at = CASE WHEN c.state = 'open' OR c.failures + excluded.failures < opens_after THEN c.probe_at
        ELSE now() + probe_wait(c.failing_since) END,
      opened_at = CASE WHEN c.state = 'open' OR c.failures + excluded.failures < opens_after THEN c.opened_at
        ELSE now() END
    RETURNING c.destination_id,
      CASE WHEN c.state <> 'open' THEN NULL WHEN c.opened_at = now() THEN 'opened' ELSE 'open' END;
  RETURN QUERY
    UPDATE destination x
    SET enabled = false, disabled_reason = 'failed everything for 5 days'
    FROM endpoint_circuit c
    WHERE c.destination_id = ANY (bad) AND c.failures >= disabled_after_failures
      AND c.failing_since <= now() - disabled_after AND x.id = c.destination_id AND x.enabled
    RETURNING x.id, 'disabled';
END
$$;
