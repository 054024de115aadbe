-- Trigger of the audit log. An entry gets its result once; the result may add a target if the entry had none, and values
-- beside its own, but no values if the action failed. Only remove_audit removes entries, and withdraw_audit those without a
-- result.
CREATE OR REPLACE FUNCTION keep_audit()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF current_setting('paybell.audit', true) = 'retention' THEN RETURN OLD; END IF;
    IF current_setting('paybell.audit', true) = 'refused' AND OLD.status IS NULL THEN RETURN OLD; END IF;
  ELSIF TG_OP = 'UPDATE' THEN
    IF OLD.status IS NULL AND NEW.status IS NOT NULL
      AND (OLD.target IS NULL OR NEW.target IS NOT DISTINCT FROM OLD.target)
      AND (NEW."values" || OLD."values" = NEW."values" OR NEW.status >= 400 AND NEW."values" = '{}')
      AND to_jsonb(NEW) - '{status,target,values}'::text[] = to_jsonb(OLD) - '{status,target,values}'::text[]
    THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is only ever added to' USING ERRCODE = 'restrict_violation';
END
$$;
