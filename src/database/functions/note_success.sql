-- Records a success at endpoints whose circuit rows the caller has locked: forgets failures, and lets an open circuit
-- recover. Answers "recovered" for each of the latter.
CREATE OR REPLACE FUNCTION note_success(the_destinations uuid[])
RETURNS TABLE (destination_id uuid, change text)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    UPDATE endpoint_circuit c
    SET failures = 0, failing_payments = '{}', failing_since = NULL, probe_at = NULL, probing_until = NULL,
      state = CASE c.state WHEN 'open' THEN 'recovering' ELSE c.state END,
      recovered_at = CASE c.state WHEN 'open' THEN now() ELSE c.recovered_at END
    WHERE c.destination_id = ANY (the_destinations) AND (c.failures > 0 OR c.state = 'open')
    RETURNING c.destination_id, CASE WHEN c.recovered_at = now() THEN 'recovered' END;
END
$$;
