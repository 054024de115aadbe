-- Trigger of payment: stores the quote ids of deleted payments, whichever program or person deletes them.
CREATE OR REPLACE FUNCTION keep_removed_payments()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO removed_payment (quote_uuid, quote_text)
  SELECT uuid_of(quote_id), CASE WHEN uuid_of(quote_id) IS NULL THEN quote_id END FROM removed
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
