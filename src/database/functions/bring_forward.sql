-- Makes up to the_limit retries due that have waited since before the endpoint recovered. These attempts do not count as
-- scheduled retries. Closes the circuit when no such retry is left; answers how many it has made due.
CREATE OR REPLACE FUNCTION bring_forward(the_destination uuid, the_limit int)
RETURNS int
LANGUAGE plpgsql
AS $$
DECLARE
  brought int;
BEGIN
  WITH chosen AS (
    SELECT d.id FROM delivery d
    JOIN endpoint_circuit c ON c.destination_id = d.destination_id
    WHERE d.destination_id = the_destination AND d.due_at > now() AND NOT d.leased AND d.retries > 0
      AND d.last_attempt_at < c.recovered_at
    ORDER BY d.due_at, d.id LIMIT the_limit FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE delivery d SET due_at = now(), retries = d.retries - 1 FROM chosen WHERE d.id = chosen.id;
  GET DIAGNOSTICS brought = ROW_COUNT;
  -- This call skipped rows that another process had locked. The next call makes these rows due, so the circuit stays as it is.
  IF brought < the_limit THEN
    UPDATE endpoint_circuit c SET state = 'closed'
    WHERE c.destination_id = the_destination AND c.state = 'recovering' AND NOT EXISTS (
      SELECT 1 FROM delivery d
      WHERE d.destination_id = the_destination AND d.due_at > now() AND NOT d.leased AND d.retries > 0
        AND d.last_attempt_at < c.recovered_at);
  END IF;
  RETURN brought;
END
$$;
