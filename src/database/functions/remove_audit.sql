-- Removes the oldest entries of the audit log that are older than an instant, up to a limit, and returns their number.
CREATE OR REPLACE FUNCTION remove_audit(before timestamptz, at_most integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  removed integer;
BEGIN
  PERFORM set_config('paybell.audit', 'retention', true);
  DELETE FROM audit_entry WHERE position = ANY (ARRAY(
    SELECT position FROM audit_entry WHERE time < before ORDER BY time, position LIMIT at_most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS removed = ROW_COUNT;
  PERFORM set_config('paybell.audit', '', true);
  RETURN removed;
END
$$;
