-- record_polls, then begin_proofs for the reports that say COMPLETED, in one transaction: no crash loses a proof.
CREATE OR REPLACE FUNCTION record_polls_to_prove(
  the_polls json,
  the_time timestamptz,
  the_offers json,
  the_provider text,
  the_payments bigint[],
  the_digests text[],
  OUT overtaken int,
  OUT published int,
  OUT outdated int[],
  OUT leased_deliveries json,
  OUT due_destinations uuid[]
)
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT r.* INTO overtaken, published, outdated, leased_deliveries, due_destinations
  FROM record_polls(the_polls, the_time, the_offers, the_provider) r;
  PERFORM begin_proofs(the_payments, the_digests);
END
$$;
