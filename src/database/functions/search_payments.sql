-- The payments that a search may have found: exact_ids by a whole quote id, by those that providers' tables have for the text, or by the beginning of an order id in any case,
-- found_ids by these and by a term of their quote or report. found_ids
-- is null when there are more than the_limit, or while the indexes are being built: the caller then reads the newest payments
-- and judges each.
-- Only the index on terms may be used: for a frequent term, PostgreSQL would compute the terms of each row. Without the other
-- scans it takes every plan for expensive, and would compile it for a tenth of a second.
CREATE OR REPLACE FUNCTION search_payments(
  the_text text,
  the_term text,
  is_whole boolean,
  the_limit int,
  the_quote_ids text[],
  OUT exact_ids bigint[],
  OUT found_ids bigint[]
)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET enable_indexscan = off
SET jit = off
SET gin_fuzzy_search_limit = 20000
AS $$
DECLARE
  -- A variable has the default collation, as the indexes on ids have: a value that is compared in another uses none of them.
  lowered text := lower(the_text COLLATE "C");
  query tsquery := ('''' || the_term || '''' || CASE WHEN is_whole THEN '' ELSE ':*' END)::tsquery;
  quoted bigint[];
  reported bigint[];
BEGIN
  -- The payments found are scattered over months: their pages are read ahead, many at a time. Where a machine can't, the setting is 0.
  PERFORM set_config('effective_io_concurrency', '200', true)
  WHERE current_setting('effective_io_concurrency')::int BETWEEN 1 AND 199;
  exact_ids := ARRAY(
    SELECT p.id FROM payment p WHERE p.quote_id = ANY (ARRAY[the_text, lowered] || the_quote_ids)
    UNION (
      -- Word by word the expression of the index payment_order_search; no character is behind the last one of Unicode.
      SELECT p.id FROM payment p
      WHERE p.order_id IS NOT NULL AND lower(p.order_id COLLATE "C") >= lowered COLLATE "C"
        AND lower(p.order_id COLLATE "C") < (lowered || chr(1114111)) COLLATE "C"
        AND EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('payment_order_search') AND indisvalid)
      LIMIT the_limit + 1));
  found_ids := exact_ids;
  IF NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('payment_order_search') AND indisvalid) THEN
    exact_ids := exact_ids || ARRAY(SELECT p.id FROM payment p WHERE p.order_id = the_text LIMIT the_limit + 1);
    found_ids := NULL;
    RETURN;
  END IF;
  IF the_term IS NOT NULL THEN
    IF (
      SELECT count(*) < 2 FROM pg_index
      WHERE indexrelid IN (to_regclass('payment_quote_search'), to_regclass('payment_report_search')) AND indisvalid
    ) THEN
      found_ids := NULL;
      RETURN;
    END IF;
    -- Of a term that very many have, the index would read each entry. Only what statistics name is trusted: their guess at any
    -- other term is a share of all payments.
    IF EXISTS (
      SELECT 1 FROM pg_stats s
      JOIN pg_index x ON x.indexrelid = to_regclass(s.tablename) JOIN pg_class c ON c.oid = x.indrelid
      WHERE s.schemaname = current_schema() AND s.tablename IN ('payment_quote_search', 'payment_report_search')
        AND 2 * the_limit < c.reltuples * (
          SELECT sum(freq) FROM unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS t (elem, freq)
          WHERE CASE WHEN is_whole THEN elem = the_term ELSE starts_with(elem, the_term) END)
    ) THEN
      found_ids := NULL;
      RETURN;
    END IF;
    quoted := ARRAY(SELECT q.payment_id FROM payment_quote q WHERE search_terms(q.body) @@ query LIMIT the_limit + 1);
    IF cardinality(quoted) <= the_limit THEN
      reported := ARRAY(
        SELECT r.payment_id FROM payment_text r
        WHERE search_terms(coalesce(r.body, r.texts[1])) @@ query LIMIT the_limit + 1);
      -- Sorted by what no index on ids has: the list needs these rows too, and would read one page after another.
      found_ids := ARRAY(SELECT p.id FROM payment p WHERE p.id = ANY (exact_ids || quoted || reported) ORDER BY p.created_at);
    END IF;
  END IF;
  IF greatest(cardinality(exact_ids), cardinality(quoted), cardinality(reported)) > the_limit THEN
    found_ids := NULL;
  END IF;
END
$$;
