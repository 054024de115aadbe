-- A quote id as a UUID; null when it is not a UUID in canonical form: another spelling of a UUID is another quote id.
CREATE OR REPLACE FUNCTION uuid_of(the_quote text)
RETURNS uuid
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE WHEN the_quote ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN the_quote::uuid END
$$;
