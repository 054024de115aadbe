-- Withdraws entries of the audit log that have no result because their changes were refused; one entry counts them.
CREATE OR REPLACE FUNCTION withdraw_audit(ids bigint[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('paybell.audit', 'refused', true);
  DELETE FROM audit_entry WHERE position = ANY (ids) AND status IS NULL;
  PERFORM set_config('paybell.audit', '', true);
END
$$;
