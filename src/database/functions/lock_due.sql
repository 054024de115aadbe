-- Locks up to the_limit due payments of a provider for a claim and answers their ids, the most urgent first. slacks_ms says
-- how long each urgency waits for more urgent ones, so that none waits for ever. froms_ms gives for each urgency a time below
-- which none of its payments is due. Both arrays are in the order of the type poll_urgency.
-- Goes through windows of (due time + slack). Reading the_limit of each urgency at once would lock up to four times as many
-- rows as are claimed: each lock is a write, and the claims of other replicas would skip these rows meanwhile. Each urgency
-- takes one short index scan a window. With statistics from a time when little was due, a bitmap scan would read and sort
-- everything that is due.
CREATE OR REPLACE FUNCTION lock_due(the_provider text, the_limit int, slacks_ms float8[], froms_ms float8[])
RETURNS SETOF bigint
LANGUAGE plpgsql ROWS 200
SET plan_cache_mode = force_generic_plan
SET enable_bitmapscan = off
SET enable_seqscan = off
AS $$
DECLARE
  missing int := the_limit;
  locked int;
  window_ms float8 := 2;
  window_begin timestamptz := '-infinity';
  -- The first window starts at the due time (plus slack) of the first due payment.
  window_end timestamptz := (
    SELECT min(first.due_at + class.slack_ms * interval '1 millisecond')
    FROM unnest(enum_range(NULL::poll_urgency), slacks_ms, froms_ms) AS class (urgency, slack_ms, from_ms),
    LATERAL (
      SELECT due_at FROM payment_schedule
      WHERE provider = the_provider AND urgency = class.urgency AND due_at <= now() AND due_at >= to_timestamp(class.from_ms / 1000)
      ORDER BY due_at LIMIT 1
    ) first);
  last_end timestamptz := now() + (SELECT max(slack_ms) FROM unnest(slacks_ms) AS slack_ms) * interval '1 millisecond';
BEGIN
  IF window_end IS NULL THEN RETURN; END IF;
  LOOP
    window_end := window_end + window_ms * interval '1 millisecond';
    RETURN QUERY
    SELECT due.payment_id
    FROM unnest(enum_range(NULL::poll_urgency), slacks_ms, froms_ms) AS class (urgency, slack_ms, from_ms),
    LATERAL (
      SELECT payment_id, due_at FROM payment_schedule
      WHERE provider = the_provider AND urgency = class.urgency AND due_at >= to_timestamp(class.from_ms / 1000)
        AND due_at > window_begin - class.slack_ms * interval '1 millisecond'
        AND due_at <= least(now(), window_end - class.slack_ms * interval '1 millisecond')
      ORDER BY due_at LIMIT missing FOR UPDATE SKIP LOCKED
    ) due
    ORDER BY due.due_at + class.slack_ms * interval '1 millisecond' LIMIT missing;
    GET DIAGNOSTICS locked = ROW_COUNT;
    missing := missing - locked;
    EXIT WHEN missing = 0 OR window_end >= last_end;
    window_begin := window_end;
    -- The next window is long enough to find the missing payments at the rate of this window. If this window had none, since
    -- other replicas may have locked all its rows, the next one is 16 times as long.
    window_ms := greatest(1, window_ms * CASE WHEN locked = 0 THEN 16 ELSE missing::float8 / locked END);
  END LOOP;
END
$$;
