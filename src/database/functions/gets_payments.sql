-- Whether a destination with these event types gets events of payments. An empty list means all of them; operational events
-- are never included. PostgreSQL inlines this function as long as it stays one expression without a subquery.
CREATE OR REPLACE FUNCTION gets_payments(the_types text[])
RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
  SELECT the_types = '{}' OR NOT the_types <@ '{attention.opened,attention.closed}'::text[]
$$;
