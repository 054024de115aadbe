-- An interval of in_ms, multiplied by the scale of its urgency (a row of interval_scale). Only its first up_to_ms are
-- multiplied: the rest, such as a backoff, is long enough as it is. scaledMs in schedule-rules.ts is the same rule for tests and
-- the simulation; rules-in-sql.test.ts compares the two. PostgreSQL inlines this function as long as it stays one expression
-- without a subquery.
CREATE OR REPLACE FUNCTION scaled_interval(in_ms float8, factor float8, up_to_ms float8)
RETURNS interval
LANGUAGE sql IMMUTABLE
AS $$
  SELECT (in_ms + (factor - 1) * least(in_ms, up_to_ms)) * interval '1 millisecond'
$$;
