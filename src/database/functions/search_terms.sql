-- The beginnings of all values in a quote or report that look like an id, an address or a transaction: 10 to 130 letters,
-- digits, _ and -, among them a digit and not only digits. termsIn in domain/payment/search.ts is the same rule;
-- rules-in-sql.test.ts compares the two.
-- The indexes payment_quote_search and payment_report_search hold what this function has answered: a change of it needs a new
-- name and new indexes. It calls only what PostgreSQL has by itself, so that a dump can be restored.
CREATE OR REPLACE FUNCTION search_terms(the_json text)
RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
BEGIN
  RETURN (
    SELECT array_to_tsvector(array_agg(DISTINCT term)) FROM (
      SELECT left(CASE WHEN v LIKE '0x%' THEN substr(v, 3) ELSE v END, 12) AS term
      FROM (SELECT lower(part COLLATE "C") AS v FROM string_to_table(the_json, '"') part) parts
      WHERE length(v) BETWEEN 10 AND 130 AND v ~ '[0-9]' AND v !~ '[^0-9a-z_-]' AND v !~ '^[0-9]+$'
    ) terms
    WHERE term <> '');
END
$$;
