-- Trigger of the audit log: an entry gets its result once, with its target if it had none and with values beside those that it
-- had, or with none if it failed; only remove_audit removes any, and withdraw_audit those that have no result.
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
