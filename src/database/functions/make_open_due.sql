-- After an epoch began: makes the next open payments due, at most the_limit in the order of their ids, so that no transaction
-- takes long. Each is due at once, but not sooner than gap_ms after its last poll. Answers false when no payment is left, and
-- while another process does the work.
CREATE OR REPLACE FUNCTION make_open_due(gap_ms double precision, the_limit integer)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  reached bigint;
BEGIN
  SELECT h.due_after INTO reached FROM database_history h WHERE h.due_after IS NOT NULL FOR UPDATE SKIP LOCKED;
  IF reached IS NULL THEN RETURN false; END IF;
  WITH made AS (
    UPDATE payment_schedule
    SET unchanged_until = NULL,
      -- A poll with a time in the future was made by the clock of the former server.
      due_at = greatest(clock_timestamp(), gap_ms * interval '1 millisecond'
        + CASE WHEN polled_at > clock_timestamp() THEN clock_timestamp() ELSE polled_at END)
    WHERE payment_id = ANY (ARRAY(
      SELECT s.payment_id FROM payment_schedule s WHERE s.payment_id > reached
      ORDER BY s.payment_id LIMIT the_limit FOR UPDATE))
    RETURNING payment_id
  ) SELECT max(payment_id) INTO reached FROM made;
  UPDATE database_history SET due_after = reached WHERE due_after IS NOT NULL;
  RETURN reached IS NOT NULL;
END
$$;
