-- Writes the order's other payments into each event whose in_order is true, and marks the event's payment as paid again where
-- another one had completed. The n-th elements of the arrays are one event, of a completed payment whose row the caller has
-- locked.
--   the_bodies  with data.order if there are other payments that count: see domain/payment/order.ts
-- Reads only the newest hundred payments of an order, so that an id used for very many payments costs no more.
CREATE OR REPLACE FUNCTION name_others(
  the_payments bigint[],
  in_orders boolean[],
  INOUT the_bodies text[]
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
DECLARE
  given record;
BEGIN
  -- When several payments complete one order at once, each waits here, and its next statement sees those before it. All
  -- processes use one order of locks, so that no two ever wait for each other.
  PERFORM pg_advisory_xact_lock(k.key) FROM (
    SELECT DISTINCT hashtextextended('paybell order ' || p.order_id, 0) AS key
    FROM unnest(the_payments, in_orders) AS i (payment_id, in_order) JOIN payment p ON p.id = i.payment_id
    WHERE i.in_order ORDER BY 1 OFFSET 0) k;
  FOR given IN
    SELECT i.n, i.payment_id, o.completed, o.open
    FROM unnest(the_payments, in_orders) WITH ORDINALITY AS i (payment_id, in_order, n)
    JOIN payment p ON p.id = i.payment_id
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(x.quote_id ORDER BY x.created_at DESC, x.id DESC) FILTER (WHERE x.status = p.status), '[]') AS completed,
        coalesce(json_agg(x.quote_id ORDER BY x.created_at DESC, x.id DESC) FILTER (WHERE x.status <> p.status), '[]') AS open,
        count(*) AS others
      FROM (
        SELECT * FROM payment WHERE order_id = p.order_id ORDER BY order_id DESC, created_at DESC LIMIT 100
      ) x
      WHERE x.id <> p.id AND (x.status = p.status OR x.tracking = 'active')
        AND (x.resolution IS NULL OR x.resolution::json ->> 'reason' <> 'duplicate')
    ) o
    WHERE i.in_order AND o.others > 0
  LOOP
    -- The members before `order` hold only strings, in which quotes are escaped: the first match is the member itself.
    the_bodies[given.n] := overlay(the_bodies[given.n]
      PLACING ',"order":' || json_build_object('completed', given.completed, 'open', given.open) || ',"metadata":'
      FROM position(',"metadata":' IN the_bodies[given.n]) FOR length(',"metadata":'));
    IF json_array_length(given.completed) > 0 THEN
      UPDATE payment SET paid_again = true WHERE id = given.payment_id AND NOT paid_again;
    END IF;
  END LOOP;
END
$$;
