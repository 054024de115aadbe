-- Whether a destination with these event types gets events of payments: none means all of these, and operational events are
-- never among them.
-- PostgreSQL inlines this function: it stays one expression without a subquery.
CREATE OR REPLACE FUNCTION gets_payments(the_types text[])
RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
  SELECT the_types = '{}' OR NOT the_types <@ '{attention.opened,attention.closed}'::text[]
$$;
