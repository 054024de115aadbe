-- The latest time of a payment's next poll, however long its interval has become, as seen at at_time: poll_by, and after that
-- time, 10 intervals later. Null when the payment has no such time. latestPoll in schedule-rules.ts is the same rule for tests
-- and the simulation; rules-in-sql.test.ts compares the two. PostgreSQL inlines this function as long as it stays one
-- expression without a subquery.
CREATE OR REPLACE FUNCTION latest_poll(poll_by timestamptz, at_time timestamptz, interval_ms float8)
RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
  SELECT CASE WHEN poll_by > at_time THEN poll_by
    WHEN poll_by IS NOT NULL THEN at_time + 10 * interval_ms * interval '1 millisecond' END
$$;
