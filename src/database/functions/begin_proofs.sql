-- Makes the witness inspect payments whose stored report says COMPLETED. The caller has just stored these reports and passes
-- their digests; a payment whose report was not written, since its poll was overtaken, is left out.
-- A stored report starts a new inspection, unless the output is proven: the report may repeat a statement that the provider
-- had taken back, and a running inspection may be about to drop the payment. A contradiction stands until the output is
-- proven, and a lost proof is kept until receivers are told. The patience counts from the first report of a completion that
-- is still being inspected.
CREATE OR REPLACE FUNCTION begin_proofs(the_payments bigint[], the_digests text[])
RETURNS int
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
  begun int;
BEGIN
  INSERT INTO payment_proof AS f (payment_id, report_digest)
  SELECT p.id, i.digest
  FROM unnest(the_payments, the_digests) AS i (payment_id, digest)
  JOIN payment p ON p.id = i.payment_id AND p.report_digest = i.digest
  ORDER BY p.id
  ON CONFLICT (payment_id) DO UPDATE
  SET report_digest = excluded.report_digest, due_at = now(), leased_until = NULL, token = f.token + 1, inspections = 0,
    began_at = CASE WHEN f.due_at IS NULL THEN now() ELSE f.began_at END,
    state = CASE WHEN f.state = 'contradicted' THEN f.state ELSE 'pending' END,
    decided_at = CASE WHEN f.state = 'contradicted' THEN f.decided_at END,
    verification = CASE WHEN f.state = 'contradicted' OR f.lost_to IS NOT NULL THEN f.verification END
  WHERE f.state <> 'proven';
  GET DIAGNOSTICS begun = ROW_COUNT;
  RETURN begun;
END
$$;
