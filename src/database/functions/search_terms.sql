-- The search terms of a quote or report: the beginnings of all values that look like an id, an address or a transaction (10
-- to 130 letters, digits, _ and -, with a digit and not only digits; the prefix of Bitcoin Cash does not count), and the
-- values of the fields amount and estimatedAmount after a =. isFound in domain/payment/search.ts compares by the same rule;
-- rules-in-sql.test.ts compares the two. The indexes payment_quote_search and payment_report_search store answers of this
-- function: a change of it needs a new name and new indexes. It calls only built-in functions, so that a dump can be restored.
CREATE OR REPLACE FUNCTION search_terms(the_json text)
RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
  part text;
  value text;
  -- The two parts before a value: the name of a field, and the colon.
  name text;
  colon text;
  terms text[] := '{}';
BEGIN
  -- A loop takes a third of a query's time, which matters because it runs for each new report.
  FOREACH part IN ARRAY string_to_array(lower(the_json COLLATE "C"), '"') LOOP
    value := CASE WHEN part LIKE 'bitcoincash:%' THEN substr(part, 13) ELSE part END;
    IF length(value) BETWEEN 10 AND 130 AND value ~ '[0-9]' AND value !~ '[^0-9a-z_-]' AND value !~ '^[0-9]+$' THEN
      terms := terms || left(CASE WHEN value LIKE '0x%' THEN substr(value, 3) ELSE value END, 12);
    END IF;
    IF name IN ('amount', 'estimatedamount') AND part ~ '^[0-9]{1,40}([.][0-9]{1,40})?$' THEN
      terms := terms || ('=' || trim_scale(part::numeric));
    END IF;
    name := colon;
    colon := part;
  END LOOP;
  RETURN array_to_tsvector(nullif(array_remove(terms, ''), '{}'));
END
$$;
