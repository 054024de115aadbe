-- Makes the rows of a provider that all replicas share: rate limit, interval scale and the quotes of the last minute. Each
-- start calls it for each configured provider; existing rows stay as they are.
CREATE OR REPLACE FUNCTION add_provider(the_name text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO provider_rate_limit (provider) VALUES (the_name) ON CONFLICT DO NOTHING;
  INSERT INTO quote_window (provider) VALUES (the_name) ON CONFLICT DO NOTHING;
  INSERT INTO interval_scale (provider, urgency)
  SELECT the_name, unnest(enum_range(NULL::poll_urgency)) ON CONFLICT DO NOTHING;
  -- Autovacuum never analyzes a handful of rows; without statistics, plans expect a thousand.
  IF FOUND THEN ANALYZE interval_scale; END IF;
END
$$;
