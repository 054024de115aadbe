-- add_payments, and in the same transaction the rows that the witness needs for new payments: a proof where the first report
-- says COMPLETED, and a watch of the quote's deposit address. The arrays are about payments by their quote ids. the_digests
-- has null for a payment without such a report, the_dues null for a payment that is not watched.
CREATE OR REPLACE FUNCTION add_payments_to_prove(
  the_payments json,
  the_time timestamptz,
  known_epoch int,
  the_offers json,
  the_quote_ids text[],
  the_digests text[],
  the_dues timestamptz[],
  the_ends timestamptz[],
  OUT present_epoch int,
  OUT added int[],
  OUT first_polls timestamptz[],
  OUT leased_deliveries json,
  OUT due_destinations uuid[]
)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
  fresh record;
BEGIN
  SELECT r.* INTO present_epoch, added, first_polls, leased_deliveries, due_destinations
  FROM add_payments(the_payments, the_time, known_epoch, the_offers) r;
  IF coalesce(cardinality(added), 0) = 0 THEN RETURN; END IF;
  SELECT array_agg(p.id) FILTER (WHERE i.digest IS NOT NULL) AS ids, array_agg(i.digest) FILTER (WHERE i.digest IS NOT NULL) AS digests
  INTO fresh
  FROM unnest(the_quote_ids, the_digests) WITH ORDINALITY AS i (quote_id, digest, n)
  JOIN payment p ON p.quote_id = i.quote_id
  WHERE i.n = ANY (added);
  IF fresh.ids IS NOT NULL THEN PERFORM begin_proofs(fresh.ids, fresh.digests); END IF;
  INSERT INTO deposit_watch (payment_id, due_at, ends_at)
  SELECT p.id, i.due_at, i.ends_at
  FROM unnest(the_quote_ids, the_dues, the_ends) WITH ORDINALITY AS i (quote_id, due_at, ends_at, n)
  JOIN payment p ON p.quote_id = i.quote_id
  WHERE i.n = ANY (added) AND i.due_at IS NOT NULL
  ORDER BY p.id;
END
$$;
