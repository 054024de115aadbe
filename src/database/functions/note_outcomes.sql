-- Opens, closes or keeps the circuits of webhook endpoints by the outcomes of attempts. The n-th elements of the arrays are
-- one attempt. held is the answer of settle_deliveries; are_kept marks attempts at webhook endpoints; are_counted marks
-- failures of the retry schedule, not of attempts that a person or a new event asked for.
-- A circuit opens after ten failures in a row from three payments: a single refused payment is not the endpoint's fault. Only
-- payments whose first attempt came after the last success count: retries of payments that the endpoint refused earlier go on
-- for days beside orders that it takes, and say nothing about its health. See domain/delivery/endpoint-state.ts.
-- Answers the change: opened, open, recovered or disabled. A circuit gets its row with the first failure: an endpoint that
-- works costs no write. The plans are kept, as in settle_deliveries.
CREATE OR REPLACE FUNCTION note_outcomes(
  held bigint[],
  the_ids bigint[],
  the_failures text[],
  are_kept boolean[],
  are_counted boolean[]
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
  opens_after_failures CONSTANT int := 10;
  opens_after_payments CONSTANT int := 3;
  disabled_after_failures CONSTANT int := 20;
  disabled_after CONSTANT interval := '5 days';
  good uuid[];
  bad uuid[];
  mixed uuid[];
  tried uuid[];
BEGIN
  SELECT array_agg(e.destination_id) FILTER (WHERE e.is_good),
    array_agg(e.destination_id) FILTER (WHERE NOT e.is_good AND e.is_counted),
    array_agg(e.destination_id) FILTER (WHERE e.is_good AND e.is_bad),
    array_agg(e.destination_id)
  INTO good, bad, mixed, tried FROM (
    SELECT d.destination_id, bool_or(i.failure IS NULL) AS is_good, bool_or(i.failure IS NOT NULL) AS is_bad,
      bool_or(i.is_counted) AS is_counted
    FROM unnest(the_ids, the_failures, are_kept, are_counted) WITH ORDINALITY AS i (id, failure, is_kept, is_counted, n),
    LATERAL (SELECT destination_id FROM delivery WHERE id = i.id OFFSET 0) d
    WHERE i.is_kept AND i.n = ANY (held)
    GROUP BY d.destination_id
  ) e;
  -- All processes lock in this order, so that no two ever wait for each other.
  PERFORM 1 FROM endpoint_circuit c
  WHERE c.destination_id = ANY (tried)
    AND (c.destination_id <> ALL (coalesce(good, '{}')) OR c.failures > 0 OR c.state = 'open')
  ORDER BY c.destination_id FOR UPDATE;
  IF FOUND OR mixed IS NOT NULL THEN
    -- After a failure the success is written at once: it shows that the endpoint takes other payments.
    UPDATE destination x SET delivered_at = now()
    WHERE x.id = ANY (good) AND (x.id = ANY (mixed)
      OR EXISTS (SELECT FROM endpoint_circuit c WHERE c.destination_id = x.id AND c.failures > 0));
    RETURN QUERY SELECT s.destination_id, s.change FROM note_success(good) s;
    UPDATE endpoint_circuit c SET probing_until = NULL
    WHERE c.destination_id = ANY (tried) AND c.probing_until IS NOT NULL;
  END IF;
  IF good IS NOT NULL THEN
    -- The time is written every 5 seconds at most, and never while another process has the row locked: success must cost next
    -- to nothing.
    UPDATE destination x SET delivered_at = now()
    WHERE x.id = ANY (ARRAY(
      SELECT s.id FROM destination s
      WHERE s.id = ANY (good) AND (s.delivered_at IS NULL OR s.delivered_at < now() - interval '5 seconds')
      ORDER BY s.id FOR NO KEY UPDATE SKIP LOCKED));
  END IF;
  IF bad IS NULL THEN RETURN; END IF;
  WITH last AS MATERIALIZED (
    SELECT b.id, last_delivered_at(b.id) AS at FROM unnest(bad) AS b (id)
  )
  INSERT INTO endpoint_circuit AS c (destination_id, state, failures, failing_payments, failing_since)
  SELECT f.destination_id, 'closed', f.failures, f.payments, f.since
  FROM (
    SELECT d.destination_id, count(*)::int AS failures, (array_agg(DISTINCT d.payment_id))[:opens_after_payments] AS payments,
      -- Earlier failures also count as failures in a row, unless a person has enabled the endpoint or changed its URL since:
      -- that starts the count anew.
      greatest(min(refused.since), now() - interval '1 minute') AS since
    FROM unnest(the_ids, are_kept, are_counted) WITH ORDINALITY AS i (id, is_kept, is_counted, n),
    LATERAL (SELECT destination_id, payment_id FROM delivery WHERE id = i.id OFFSET 0) d,
    LATERAL (SELECT refused_since(d.destination_id, d.payment_id) AS since OFFSET 0) refused
    WHERE i.is_kept AND i.is_counted AND i.n = ANY (held) AND d.destination_id = ANY (bad)
      AND (refused.since > (SELECT l.at FROM last l WHERE l.id = d.destination_id)) IS NOT FALSE
    GROUP BY d.destination_id
  ) f
  JOIN destination x ON x.id = f.destination_id
  ORDER BY f.destination_id
  ON CONFLICT (destination_id) DO UPDATE
  SET failures = c.failures + excluded.failures,
    -- An acknowledged test event ends the failures before it.
    failing_since = coalesce(c.failing_since, greatest(excluded.failing_since, c.recovered_at)),
    failing_payments = ARRAY(
      SELECT DISTINCT p.id FROM unnest(c.failing_payments || excluded.failing_payments) AS p (id) LIMIT opens_after_payments);
  RETURN QUERY
    SELECT c.destination_id, 'open' FROM endpoint_circuit c WHERE c.destination_id = ANY (bad) AND c.state = 'open';
  RETURN QUERY
    UPDATE endpoint_circuit c
    SET state = 'open', opened_at = now(), probe_at = now() + probe_wait(c.failing_since), probed_at = now()
    WHERE c.destination_id = ANY (bad) AND c.state <> 'open' AND c.failures >= opens_after_failures
      AND cardinality(c.failing_payments) >= opens_after_payments
    RETURNING c.destination_id, 'opened';
  RETURN QUERY
    UPDATE destination x
    SET enabled = false, disabled_reason = 'failed everything for 5 days'
    FROM endpoint_circuit c
    WHERE c.destination_id = ANY (bad) AND c.failures >= disabled_after_failures
      AND c.failing_since <= now() - disabled_after AND x.id = c.destination_id AND x.enabled
    RETURNING x.id, 'disabled';
END
$$;
