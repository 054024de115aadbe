-- Called by each transaction that writes events, before it reads the rows from which the events follow. The epoch and the
-- offset of ranks hold until the transaction ends. Raises PB001 on a server that no replica has judged yet: after a
-- promotion, or after a pooler moved to another server, no process can give a sequence number or a rank twice. See
-- check_history. The system identifier costs a read of a small file, some 15 µs.
CREATE OR REPLACE FUNCTION join_log(OUT epoch integer, OUT log_offset bigint)
LANGUAGE plpgsql
AS $$
DECLARE
  held database_history;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7226235656);
  SELECT h.* INTO held FROM database_history h ORDER BY h.number DESC LIMIT 1;
  epoch := held.epoch;
  log_offset := held.log_offset;
  -- Both values are null on a hosted service that hides them.
  IF held.timeline <> left(pg_walfile_name(pg_current_wal_lsn()), 8)
    OR held.system_identifier <> (SELECT s.system_identifier FROM pg_control_system() s)
  THEN
    RAISE EXCEPTION 'the database is on another server, and it is not known yet what was lost' USING ERRCODE = 'PB001';
  END IF;
END
$$;
