-- Trigger of the view payment_report, into which replicas of release 0.1.0 insert a payment's first report.
CREATE OR REPLACE FUNCTION keep_report()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM keep_texts(ARRAY[NEW.payment_id], ARRAY[NEW.body], '{}', '{}', NEW.reported_at);
  RETURN NEW;
END
$$;
