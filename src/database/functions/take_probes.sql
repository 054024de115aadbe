-- Answers those of the destinations whose circuit is open, whose probe is due and which have something to send. Each probe
-- is given to one caller.
CREATE OR REPLACE FUNCTION take_probes(the_destinations uuid[])
RETURNS SETOF uuid
LANGUAGE sql
AS $$
  UPDATE endpoint_circuit c
  SET probe_at = now() + probe_wait(c.failing_since)
  WHERE c.destination_id = ANY (ARRAY(
    SELECT o.destination_id FROM endpoint_circuit o
    WHERE o.destination_id = ANY (the_destinations) AND o.state = 'open' AND o.probe_at <= now()
      AND EXISTS (
        SELECT 1 FROM delivery d
        WHERE d.destination_id = o.destination_id AND d.due_at IS NOT NULL AND (NOT d.leased OR d.due_at <= now()))
    ORDER BY o.destination_id FOR UPDATE SKIP LOCKED))
  RETURNING c.destination_id
$$;
