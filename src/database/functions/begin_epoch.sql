-- Called when the database went back: it has lost transactions whose events consumers may have got. From now on no number
-- is given that a lost event can have: neither the sequence of an event, nor a rank, nor an id. Every open payment is due
-- at once, though none sooner than gap_ms after its last poll; answers how many.
CREATE OR REPLACE FUNCTION begin_epoch(the_cause text, gap_ms double precision)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  held database_history;
  new_epoch integer := floor(extract(epoch FROM clock_timestamp() - '2026-01-01 00:00Z'::timestamptz) / 60);
  now_us bigint := floor(extract(epoch FROM clock_timestamp()) * 1000000);
  survived_at timestamptz;
  due integer;
BEGIN
  -- Waits for all who write events.
  PERFORM pg_advisory_xact_lock(7226235656);
  SELECT h.* INTO held FROM database_history h ORDER BY h.number DESC LIMIT 1;
  -- Readers whose last event was lost go on two minutes before the newest event that was not: no transaction lasts longer.
  survived_at := (SELECT e.time FROM event e ORDER BY e.log_rank DESC, e.position DESC LIMIT 1);
  INSERT INTO database_history
    (number, system_identifier, timeline, epoch, log_offset, resume_rank, resume_at, cause)
  SELECT held.number + 1, s.system_identifier, s.timeline, greatest(held.epoch + 1, new_epoch), next_log_offset(),
    coalesce((
      SELECT e.log_rank FROM event e WHERE e.time < survived_at - interval '2 minutes'
      ORDER BY e.log_rank DESC, e.position DESC LIMIT 1), 0),
    coalesce(survived_at, '-infinity') - interval '2 minutes', the_cause
  FROM present_server() s;
  -- A process may still hold the outcome of a delivery, or a claim, of a row that was lost: no other row gets its id.
  PERFORM setval(key.name::regclass, greatest(now_us, nextval(key.name::regclass)))
  FROM (VALUES (pg_get_serial_sequence('payment', 'id')), (pg_get_serial_sequence('event', 'position')),
    (pg_get_serial_sequence('delivery', 'id'))) AS key (name);
  UPDATE payment_schedule
  SET unchanged_until = NULL,
    -- A poll that lies ahead was made by the clock of the former server.
    due_at = greatest(clock_timestamp(), gap_ms * interval '1 millisecond'
      + CASE WHEN polled_at > clock_timestamp() THEN clock_timestamp() ELSE polled_at END)
  WHERE payment_id = ANY (ARRAY(SELECT s.payment_id FROM payment_schedule s ORDER BY s.payment_id FOR UPDATE));
  GET DIAGNOSTICS due = ROW_COUNT;
  RETURN due;
END
$$;
