-- How long an open circuit waits for its next probe: a quarter of the outage's duration, within bounds.
CREATE OR REPLACE FUNCTION probe_wait(failing_since timestamptz)
RETURNS interval
LANGUAGE sql STABLE
AS $$
  SELECT greatest(interval '30 seconds',
    least(interval '10 minutes', (now() - coalesce(failing_since, now())) / 4))
$$;
