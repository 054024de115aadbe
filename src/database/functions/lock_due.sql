-- Locks up to the_limit due payments for a claim and answers their ids, the most urgent first. slacks_ms says how long
-- each urgency waits for more urgent ones, so that none waits for ever; froms_ms says below which due time it has nothing
-- due. Both arrays are in the order of the type poll_urgency.
-- Each urgency takes one short index scan. With statistics from a time when little was due, a bitmap scan would read and
-- sort all that is due instead.
CREATE OR REPLACE FUNCTION lock_due(the_limit int, slacks_ms float8[], froms_ms float8[])
RETURNS SETOF bigint
LANGUAGE sql ROWS 200
SET enable_bitmapscan = off
SET enable_seqscan = off
AS $$
  SELECT due.payment_id
  FROM unnest(enum_range(NULL::poll_urgency), slacks_ms, froms_ms) AS class (urgency, slack_ms, from_ms),
  LATERAL (
    SELECT payment_id, due_at FROM payment_schedule
    WHERE urgency = class.urgency AND due_at <= now() AND due_at >= to_timestamp(class.from_ms / 1000)
    ORDER BY due_at LIMIT the_limit FOR UPDATE SKIP LOCKED
  ) due
  ORDER BY due.due_at + class.slack_ms * interval '1 millisecond' LIMIT the_limit
$$;
