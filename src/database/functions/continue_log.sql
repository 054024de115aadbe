-- Called at each start. Another server counts its transactions from another number: after a dump was restored there, new
-- events would be ranked before the old ones. From then on log_rank_of adds an offset that makes every new rank larger than
-- any that the former server can have given. True when it did so.
CREATE OR REPLACE FUNCTION continue_log()
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  last_rank bigint := (SELECT max(log_rank) FROM event);
BEGIN
  IF last_rank IS NULL OR last_rank < log_rank_of(pg_snapshot_xmax(pg_current_snapshot())) THEN
    RETURN false;
  END IF;
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION log_rank_of(transaction_id xid8) RETURNS bigint LANGUAGE sql IMMUTABLE AS %L',
    format('SELECT %s + transaction_id::text::bigint', last_rank + 1000000000000));
  RETURN true;
END
$$;
