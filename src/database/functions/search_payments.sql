-- Finds the payments that a search text may mean. exact_ids are found by the whole quote id, by the_quote_ids (the quotes
-- that providers' tables have for the text), or by the beginning of an order id. found_ids are these and the payments with a
-- term in their quote or report. found_ids is null when there are more than the_limit, or while the indexes are being built:
-- the caller then reads the newest payments and tests each.
--   the_fold    the text as foldCase of domain/payment/search.ts writes it
--   the_term    the beginning of a value, or null; is_whole where it is as long as the index has them
--   the_amount  the term of an amount, or null
-- The settings allow only the index on terms: for a frequent term, PostgreSQL would rather compute the terms of each row.
-- With the other scans forbidden, every plan looks expensive, and jit would compile it for a tenth of a second.
CREATE OR REPLACE FUNCTION search_payments(
  the_text text,
  the_fold text,
  the_term text,
  is_whole boolean,
  the_amount text,
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
  -- A variable has the default collation, like the indexes on ids; a value with another collation cannot use them.
  lowered text := lower(the_text COLLATE "C");
  query tsquery := nullif(concat_ws(' | ', '''' || the_term || '''' || CASE WHEN is_whole THEN '' ELSE ':*' END,
    '''' || the_amount || ''''), '')::tsquery;
  quoted bigint[];
  reported bigint[];
BEGIN
  -- The payments of a search are scattered over months: PostgreSQL reads their pages ahead, many at a time. On systems without
  -- read-ahead, the setting stays 0.
  PERFORM set_config('effective_io_concurrency', '200', true)
  WHERE current_setting('effective_io_concurrency')::int BETWEEN 1 AND 199;
  exact_ids := ARRAY(
    SELECT p.id FROM payment p WHERE p.quote_id = ANY (ARRAY[the_text, lowered] || the_quote_ids)
    UNION (
      -- The expression is that of the index payment_order_search, word for word. U+10FFFF, the last code point of Unicode,
      -- ends the range.
      SELECT p.id FROM payment p
      WHERE p.order_id IS NOT NULL AND coalesce(p.order_fold, lower(p.order_id COLLATE "C")) >= the_fold COLLATE "C"
        AND coalesce(p.order_fold, lower(p.order_id COLLATE "C")) < (the_fold || chr(1114111)) COLLATE "C"
        AND EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('payment_order_search') AND indisvalid)
      LIMIT the_limit + 1));
  found_ids := exact_ids;
  IF NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('payment_order_search') AND indisvalid) THEN
    exact_ids := exact_ids || ARRAY(SELECT p.id FROM payment p WHERE p.order_id = the_text LIMIT the_limit + 1);
    found_ids := NULL;
    RETURN;
  END IF;
  IF query IS NOT NULL THEN
    IF (
      SELECT count(*) < 2 FROM pg_index
      WHERE indexrelid IN (to_regclass('payment_quote_search'), to_regclass('payment_report_search')) AND indisvalid
    ) THEN
      found_ids := NULL;
      RETURN;
    END IF;
    -- For a term that very many payments have, the index would read every entry. Only terms in the statistics count: for any
    -- other term, the planner assumes a fixed share of all payments.
    IF EXISTS (
      SELECT 1 FROM pg_stats s
      JOIN pg_index x ON x.indexrelid = to_regclass(s.tablename) JOIN pg_class c ON c.oid = x.indrelid
      WHERE s.schemaname = current_schema() AND s.tablename IN ('payment_quote_search', 'payment_report_search')
        AND 2 * the_limit < c.reltuples * (
          SELECT sum(freq) FROM unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS t (elem, freq)
          WHERE elem = the_amount OR CASE WHEN is_whole THEN elem = the_term ELSE starts_with(elem, the_term) END)
    ) THEN
      found_ids := NULL;
      RETURN;
    END IF;
    quoted := ARRAY(SELECT q.payment_id FROM payment_quote q WHERE search_terms(q.body) @@ query LIMIT the_limit + 1);
    IF cardinality(quoted) <= the_limit THEN
      reported := ARRAY(
        SELECT r.payment_id FROM payment_text r
        WHERE search_terms(coalesce(r.body, r.texts[1])) @@ query LIMIT the_limit + 1);
      -- The sort by a column without an index makes PostgreSQL read the rows here: the list needs them too, and would read one
      -- page after another.
      found_ids := ARRAY(SELECT p.id FROM payment p WHERE p.id = ANY (exact_ids || quoted || reported) ORDER BY p.created_at);
    END IF;
  END IF;
  IF greatest(cardinality(exact_ids), cardinality(quoted), cardinality(reported)) > the_limit THEN
    found_ids := NULL;
  END IF;
END
$$;
