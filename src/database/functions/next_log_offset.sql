-- An offset that makes every new rank larger than all ranks ever given, lost ones included: the present rank becomes the
-- microseconds since 1970. No server begins a million transactions a second, so that ranks never overtake the clock.
CREATE OR REPLACE FUNCTION next_log_offset()
RETURNS bigint
LANGUAGE sql
AS $$
  SELECT greatest(
      floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
      coalesce((SELECT max(log_rank) FROM event), 0) + 1000000000)
    - pg_current_xact_id()::text::bigint
$$;
