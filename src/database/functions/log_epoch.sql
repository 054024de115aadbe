-- How often the database went back: the epoch of database_history, 0 if it never did. Default of payment.epoch.
CREATE OR REPLACE FUNCTION log_epoch()
RETURNS integer
LANGUAGE sql STABLE
AS $$
  SELECT epoch FROM database_history ORDER BY number DESC LIMIT 1
$$;
