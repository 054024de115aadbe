-- Stores new reports of payments and the bodies of new events, with one write to each payment's row. The caller has the
-- payments' row locks. Answers for each body its index among the payment's texts: null where it must stand in the event's own
-- row. A row holds at most 16 texts of 16 kB together: a new event writes the row anew, and a reader of one text reads them
-- all. A longer report stands in a column of its own, which new events leave as it is. The plans use primary keys whatever
-- the statistics say, and are kept.
CREATE OR REPLACE FUNCTION keep_texts(
  report_payments bigint[],
  the_reports text[],
  the_payments bigint[],
  the_bodies text[],
  the_time timestamptz
)
RETURNS smallint[]
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
DECLARE
  most_texts CONSTANT int := 16;
  most_bytes CONSTANT int := 16384;
  slots smallint[] := array_fill(NULL::smallint, ARRAY[cardinality(the_bodies)]);
  given record;
  held text[];
  own_report text;
  bytes bigint;
  is_changed boolean;
  n int;
BEGIN
  FOR given IN
    SELECT i.payment_id, max(i.report) AS report, coalesce(array_agg(i.n ORDER BY i.n) FILTER (WHERE i.n IS NOT NULL), '{}') AS bodies
    FROM (
      SELECT r.payment_id, r.report, NULL::bigint AS n FROM unnest(report_payments, the_reports) AS r (payment_id, report)
      UNION ALL
      SELECT e.payment_id, NULL, e.n FROM unnest(the_payments) WITH ORDINALITY AS e (payment_id, n)
    ) i
    GROUP BY i.payment_id
  LOOP
    SELECT t.texts, t.body INTO held, own_report FROM payment_text t WHERE t.payment_id = given.payment_id;
    held := coalesce(held, ARRAY[NULL::text]);
    bytes := octet_length(array_to_string(held[2:], ''));
    is_changed := given.report IS NOT NULL;
    IF is_changed THEN
      own_report := CASE WHEN bytes + octet_length(given.report) > most_bytes THEN given.report END;
      held[1] := CASE WHEN own_report IS NULL THEN given.report END;
    END IF;
    bytes := bytes + coalesce(octet_length(held[1]), 0);
    FOREACH n IN ARRAY given.bodies LOOP
      bytes := bytes + octet_length(the_bodies[n]);
      EXIT WHEN (bytes <= most_bytes AND cardinality(held) < most_texts) IS NOT TRUE;
      held := held || the_bodies[n];
      slots[n] := cardinality(held);
      is_changed := true;
    END LOOP;
    IF is_changed THEN
      INSERT INTO payment_text AS t (payment_id, texts, body, reported_at)
      VALUES (given.payment_id, held, own_report, CASE WHEN given.report IS NOT NULL THEN the_time END)
      ON CONFLICT (payment_id) DO UPDATE
      SET texts = excluded.texts, body = excluded.body, reported_at = coalesce(excluded.reported_at, t.reported_at);
    END IF;
  END LOOP;
  RETURN slots;
END
$$;
