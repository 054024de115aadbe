-- The server on which this database runs now. Hosted services may hide it; then both are null.
CREATE OR REPLACE FUNCTION present_server(OUT system_identifier bigint, OUT timeline text)
LANGUAGE plpgsql
AS $$
BEGIN
  timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
  system_identifier := (SELECT s.system_identifier FROM pg_control_system() s);
EXCEPTION WHEN feature_not_supported OR insufficient_privilege THEN
  timeline := NULL;
END
$$;
