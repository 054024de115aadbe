-- Trigger of the view attempt, from which replicas of release 0.1.0 delete the attempts of removed deliveries.
CREATE OR REPLACE FUNCTION remove_attempt()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM earlier_attempt WHERE delivery_id = OLD.delivery_id AND number = OLD.number;
  IF NOT FOUND THEN
    UPDATE delivery SET attempt_made_at = NULL, attempt_ms = NULL, attempt_address = NULL, attempt_excerpt = NULL
    WHERE id = OLD.delivery_id AND attempts = OLD.number AND attempt_made_at IS NOT NULL;
  END IF;
  RETURN OLD;
END
$$;
