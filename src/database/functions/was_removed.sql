-- Whether the payment of this quote was removed.
CREATE OR REPLACE FUNCTION was_removed(the_quote text)
RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (SELECT FROM removed_payment WHERE quote_uuid = uuid_of(the_quote))
    OR EXISTS (SELECT FROM removed_payment WHERE quote_text = the_quote)
$$;
