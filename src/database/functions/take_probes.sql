-- Chooses probes for those destinations whose circuit is open: at most one in 5 s, and one in flight, for up to the_lease_ms
-- if its outcome is never noted. Each probe is given to one caller.
--   is_untried  the probe is a delivery that was never tried and that nothing holds back: the first of its payment, one after
--   acknowledged deliveries, or one whose lane has lost its patience. It does not wait for probe_at: a receiver that refuses
--   some payments must not delay the others.
-- Otherwise the probe is the delivery that is due next, at probe_at.
CREATE OR REPLACE FUNCTION take_probes(the_destinations uuid[], the_lease_ms bigint)
RETURNS TABLE (destination_id uuid, is_untried boolean)
LANGUAGE sql
AS $$
  UPDATE endpoint_circuit c
  SET probed_at = now(), probing_until = now() + the_lease_ms * interval '1 millisecond',
    probe_at = CASE WHEN c.probe_at <= now() THEN now() + probe_wait(c.failing_since) ELSE c.probe_at END
  FROM (
    SELECT o.destination_id, untried.is_there AND o.probe_at > now() AS is_untried
    FROM endpoint_circuit o,
    LATERAL (
      SELECT EXISTS (
        SELECT 1 FROM delivery d
        WHERE d.destination_id = o.destination_id AND d.attempts = 0 AND d.due_at <= now() AND NOT d.leased) AS is_there
    ) untried
    WHERE o.destination_id = ANY (the_destinations) AND o.state = 'open'
      AND coalesce(o.probing_until, '-infinity') <= now()
      AND coalesce(o.probed_at, '-infinity') <= now() - interval '5 seconds'
      AND (untried.is_there OR (o.probe_at <= now() AND EXISTS (
        SELECT 1 FROM delivery d
        WHERE d.destination_id = o.destination_id AND d.due_at IS NOT NULL
          AND (d.due_at <= now() OR (NOT d.leased AND d.lane_state <> 'waiting')))))
    ORDER BY o.destination_id FOR UPDATE OF o SKIP LOCKED
  ) chosen
  WHERE c.destination_id = chosen.destination_id
  RETURNING c.destination_id, chosen.is_untried
$$;
