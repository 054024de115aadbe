-- When a destination last acknowledged an event; null: never. The time in the destination's row may be a few seconds old; the
-- newest event that it acknowledged has a later time, except after deliveries out of order. For an attempt that is not
-- stored, the time of its claim counts. The condition compares whole rows, so that PostgreSQL reads the index delivery_listed
-- in its own order, whatever the statistics are.
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
