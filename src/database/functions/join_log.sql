-- Called by each transaction that writes events, before it reads what they follow from. The epoch and the offset of ranks
-- hold until the transaction ends. Raises PB001 on a server that no replica has judged yet: between a promotion and its
-- judgement nobody can give a sequence number or a rank that was given before. See check_history.
CREATE OR REPLACE FUNCTION join_log(OUT epoch integer, OUT log_offset bigint)
LANGUAGE plpgsql
AS $$
DECLARE
  is_other boolean;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7226235656);
  SELECT h.epoch, h.log_offset,
    CASE WHEN h.timeline IS NOT NULL THEN h.timeline <> left(pg_walfile_name(pg_current_wal_lsn()), 8) END
  INTO epoch, log_offset, is_other
  FROM database_history h ORDER BY h.number DESC LIMIT 1;
  IF is_other THEN
    RAISE EXCEPTION 'the database is on another server, and it is not known yet what was lost' USING ERRCODE = 'PB001';
  END IF;
END
$$;
