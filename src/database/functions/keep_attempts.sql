-- For replicas of release 0.1.0: stores the attempts that settle_deliveries has settled, and then what note_outcomes does.
CREATE OR REPLACE FUNCTION keep_attempts(
  held bigint[],
  the_ids bigint[],
  the_failures text[],
  the_http_statuses smallint[],
  are_kept boolean[],
  the_durations int[],
  the_ages_ms float8[],
  the_addresses text[],
  the_excerpts bytea[]
)
RETURNS TABLE (destination_id uuid, change text)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  INSERT INTO earlier_attempt (delivery_id, number, made_at, duration_ms, address, http_status, failure, excerpt)
  SELECT d.id, d.attempts, now() - i.age_ms * interval '1 millisecond', i.duration_ms, i.address, i.http_status,
    i.failure, i.excerpt
  FROM unnest(the_ids, are_kept, the_durations, the_ages_ms, the_addresses, the_http_statuses, the_failures, the_excerpts)
    WITH ORDINALITY AS i (id, is_kept, duration_ms, age_ms, address, http_status, failure, excerpt, n)
  JOIN delivery d ON d.id = i.id
  WHERE i.is_kept AND i.n = ANY (held);
  RETURN QUERY SELECT s.destination_id, s.change FROM note_outcomes(held, the_ids, the_failures, are_kept) s;
END
$$;
