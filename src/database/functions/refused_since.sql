-- When a destination began to refuse a payment: the first attempt at an event that it has not acknowledged, given-up events
-- included. Null: it refuses none. Only the index delivery_untold has this order: with old statistics, PostgreSQL would
-- rather read the destination's whole backlog.
CREATE OR REPLACE FUNCTION refused_since(the_destination uuid, the_payment bigint)
RETURNS timestamptz
LANGUAGE sql STABLE
SET enable_sort = off
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
  SELECT min(o.first_attempt_at) FROM (
    SELECT first_attempt_at, state FROM delivery
    WHERE destination_id = the_destination AND payment_id = the_payment AND state <> 'delivered'
    ORDER BY destination_id, payment_id, created_at OFFSET 0
  ) o WHERE o.state IN ('pending', 'failed')
$$;
