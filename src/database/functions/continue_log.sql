-- Lets the log go on after the database came to another server without a loss: from now on all ranks are larger than any that
-- the former server can have given. True when the events came from a server whose transaction counter was further ahead.
CREATE OR REPLACE FUNCTION continue_log()
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  held database_history;
  is_behind boolean;
  is_first boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(7226235656);
  is_behind := coalesce((SELECT max(log_rank) FROM event) >= log_rank_of(pg_snapshot_xmax(pg_current_snapshot())), false);
  SELECT h.* INTO held FROM database_history h ORDER BY h.number DESC LIMIT 1;
  is_first := held.system_identifier IS NULL AND held.timeline IS NULL;
  INSERT INTO database_history (number, system_identifier, timeline, epoch, log_offset, cause)
  SELECT held.number + 1, s.system_identifier, s.timeline, held.epoch,
    CASE WHEN is_first AND NOT is_behind THEN held.log_offset ELSE next_log_offset() END, 'server'
  FROM present_server() s
  WHERE is_behind
    OR (s.system_identifier, s.timeline) IS DISTINCT FROM (held.system_identifier, held.timeline);
  RETURN is_behind;
END
$$;
