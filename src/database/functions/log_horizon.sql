-- The rank below which the event log is complete: the rank of the oldest running transaction. See log_rank_of.
CREATE OR REPLACE FUNCTION log_horizon()
RETURNS bigint
LANGUAGE sql STABLE
AS $$
  SELECT log_rank_of(pg_snapshot_xmin(pg_current_snapshot()))
$$;
