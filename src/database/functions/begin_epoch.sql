-- Called when the database went back: it has lost transactions whose events consumers may have received. From now on it gives
-- no number that a lost event can have: no sequence, no rank, no id. Answers how many payments are open. Each of them is made
-- due: the first here, the others by calls of make_open_due that must follow.
CREATE OR REPLACE FUNCTION begin_epoch(the_cause text, gap_ms double precision)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  held database_history;
  new_epoch integer := floor(extract(epoch FROM clock_timestamp() - '2026-01-01 00:00Z'::timestamptz) / 60);
  now_us bigint := floor(extract(epoch FROM clock_timestamp()) * 1000000);
  survived_at timestamptz;
BEGIN
  -- Waits for all transactions that are writing events.
  PERFORM pg_advisory_xact_lock(7226235656);
  SELECT h.* INTO held FROM database_history h ORDER BY h.number DESC LIMIT 1;
  -- Readers whose last event was lost go on two minutes before the newest event that survived: no transaction takes longer.
  survived_at := (SELECT e.time FROM event e ORDER BY e.log_rank DESC, e.position DESC LIMIT 1);
  UPDATE database_history SET due_after = NULL WHERE due_after IS NOT NULL;
  INSERT INTO database_history
    (number, system_identifier, timeline, epoch, log_offset, resume_rank, resume_at, due_after, cause)
  SELECT held.number + 1, s.system_identifier, s.timeline, greatest(held.epoch + 1, new_epoch), next_log_offset(),
    coalesce((
      SELECT e.log_rank FROM event e WHERE e.time < survived_at - interval '2 minutes'
      ORDER BY e.log_rank DESC, e.position DESC LIMIT 1), 0),
    coalesce(survived_at, '-infinity') - interval '2 minutes', 0, the_cause
  FROM present_server() s;
  -- A process may still hold a claim, or the outcome of a delivery, for a row that was lost: no other row may get its id.
  PERFORM setval(key.name::regclass, greatest(now_us, nextval(key.name::regclass)))
  FROM (VALUES (pg_get_serial_sequence('payment', 'id')), (pg_get_serial_sequence('event_entry', 'position')),
    (pg_get_serial_sequence('delivery', 'id'))) AS key (name);
  PERFORM make_open_due(gap_ms, 10000);
  RETURN (SELECT count(*) FROM payment_schedule);
END
$$;
