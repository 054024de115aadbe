-- When a destination last acknowledged an event; null: never. The time in its row is a few seconds out of date: that of the newest
-- event which it has acknowledged is newer, except for deliveries out of order. Of an attempt that is not stored, when it was
-- claimed. Rows are compared as wholes, so that the index delivery_listed is read in its own order, whatever the statistics are.
CREATE OR REPLACE FUNCTION last_delivered_at(the_destination uuid)
RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
  SELECT greatest(x.delivered_at, (
    SELECT coalesce(d.attempt_made_at, a.made_at, d.last_attempt_at)
      + coalesce(d.attempt_ms, a.duration_ms, 0) * interval '1 millisecond'
    FROM (
      SELECT destination_id, state, id, attempts, attempt_made_at, attempt_ms, last_attempt_at FROM delivery
      WHERE (destination_id, state, id) < (the_destination, 'delivered', 9223372036854775807)
      ORDER BY destination_id DESC, state DESC, id DESC LIMIT 1
    ) d
    LEFT JOIN earlier_attempt a ON a.delivery_id = d.id AND a.number = d.attempts
    WHERE d.destination_id = the_destination AND d.state = 'delivered'))
  FROM destination x WHERE x.id = the_destination
$$;
