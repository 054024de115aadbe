-- Takes entries of the audit log back that have no result, since their changes were refused: they are counted in one entry.
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
