-- Whether the payment of this quote was removed. The plan is kept and uses the primary key, whatever the statistics say.
CREATE OR REPLACE FUNCTION was_removed(the_quote text)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
BEGIN
  RETURN EXISTS (SELECT FROM removed_payment WHERE quote_uuid = uuid_of(the_quote))
    OR EXISTS (SELECT FROM removed_payment WHERE quote_text = the_quote);
END
$$;
