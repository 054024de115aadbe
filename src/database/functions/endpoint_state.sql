-- The state of a webhook endpoint. domain/delivery/endpoint-state.ts has the same rule and explains each state.
CREATE OR REPLACE FUNCTION endpoint_state(the_destination uuid)
RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN NOT x.enabled THEN 'disabled'
    WHEN c.state <> 'closed' THEN c.state
    WHEN c.failing_since > coalesce(last_delivered_at(x.id), '-infinity') THEN 'failing'
    WHEN NOT EXISTS (SELECT FROM delivery d WHERE d.destination_id = x.id AND d.state = 'pending' AND d.attempts > 0) THEN 'ok'
    WHEN last_delivered_at(x.id) IS NULL THEN 'failing'
    ELSE 'refusing' END
  FROM destination x LEFT JOIN endpoint_circuit c ON c.destination_id = x.id
  WHERE x.id = the_destination
$$;
