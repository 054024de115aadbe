-- Whether a person has settled a payment otherwise, by its resolution; null without one. A released payment completes like any
-- other: its receivers must learn of the completion. isSettled in domain/payment/payment.ts is the same rule;
-- rules-in-sql.test.ts compares the two. The index payment_settled stores the payments for which this function is true: a
-- change of it needs a new name and a new index. It calls only built-in functions, so that a dump can be restored.
CREATE OR REPLACE FUNCTION is_settled(the_resolution text)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
BEGIN
  RETURN the_resolution::json ->> 'reason' IS DISTINCT FROM 'released';
END
$$;
