-- Answers whether this is still the database that the calling process knows. Each process calls it at its start, every few
-- seconds, and after the database was away. the_beat, known_epoch and the_events are what the process knows to be committed,
-- null where it knows nothing. the_events has groups of events; at least one event of each group was committed.
--   known      it is the same database
--   moved      the server is another one, and nothing was lost: every process that ran has found its own commits
--   went_back  transactions were lost, or may have been: an epoch has begun
--   waiting    the other processes have not answered yet
-- Lost transactions are always the last ones. So a process that finds its newest commit has lost nothing. A process that
-- ended without saying so may have lost commits made after the others were last seen. Where its commits waited for a
-- synchronous standby they are safe: that standby was promoted, as another process has found all its own commits. With
-- is_beat, the call itself makes a commit that the process knows from then on; it also shows whether writes commit. Without
-- is_beat, it writes nothing unless something is wrong. While is_due_left is true, make_open_due has payments left.
CREATE OR REPLACE FUNCTION check_history(
  the_replica uuid,
  the_beat bigint,
  known_epoch integer,
  the_events json,
  is_beat boolean,
  has_waited boolean,
  gap_ms double precision,
  OUT verdict text,
  OUT epoch integer,
  OUT due integer,
  OUT is_continued boolean,
  OUT went_back_at timestamptz,
  OUT is_due_left boolean
)
LANGUAGE plpgsql
AS $$
DECLARE
  held database_history;
  here text;
  is_here boolean;
  is_lost boolean;
  voters record;
BEGIN
  is_continued := false;
  FOR attempt IN 1..2 LOOP
    SELECT h.* INTO held FROM database_history h ORDER BY h.number DESC LIMIT 1;
    SELECT s.system_identifier || ' ' || s.timeline,
      (s.system_identifier, s.timeline) IS NOT DISTINCT FROM (held.system_identifier, held.timeline)
    INTO here, is_here FROM present_server() s;
    -- An epoch that the process does not know has begun since: that epoch has dealt with the losses.
    is_lost := coalesce(held.epoch < known_epoch, false) OR coalesce(held.epoch = known_epoch, false) AND (
      the_beat > coalesce((SELECT r.beat FROM replica r WHERE r.id = the_replica), -1)
      OR EXISTS (
        SELECT FROM json_array_elements(the_events) AS known (ids) WHERE NOT EXISTS (
          SELECT FROM event e
          WHERE e.id = ANY (ARRAY(SELECT json_array_elements_text(known.ids)::uuid)))));
    EXIT WHEN is_here AND NOT coalesce(is_lost, false);
    -- Checks again under the lock, once no other process is judging.
    IF attempt = 1 THEN PERFORM pg_advisory_xact_lock(7226235656); END IF;
  END LOOP;
  IF is_lost THEN
    verdict := 'went_back';
    due := begin_epoch('replica', gap_ms);
  ELSIF is_here OR held.system_identifier IS NULL AND held.timeline IS NULL THEN
    verdict := 'known';
    IF the_beat IS NULL THEN is_continued := continue_log(); END IF;
  ELSE
    UPDATE replica SET confirmed = here WHERE id = the_replica AND the_beat IS NOT NULL;
    SELECT bool_and(r.confirmed IS NOT DISTINCT FROM here) AS have_all, bool_or(r.confirmed = here) AS has_one,
      bool_and(r.confirmed IS NOT DISTINCT FROM here OR r.is_replicated) AS are_safe
    INTO voters FROM replica r
    WHERE r.seen_at > (SELECT max(a.seen_at) FROM replica a) - interval '15 seconds';
    IF voters.have_all OR has_waited AND voters.has_one AND voters.are_safe THEN
      verdict := 'moved';
      PERFORM continue_log();
    ELSIF has_waited THEN
      verdict := 'went_back';
      due := begin_epoch('unknown', gap_ms);
    ELSE
      verdict := 'waiting';
    END IF;
  END IF;
  epoch := log_epoch();
  went_back_at := (SELECT max(h.began_at) FROM database_history h WHERE h.resume_at IS NOT NULL);
  is_due_left := EXISTS (SELECT FROM database_history h WHERE h.due_after IS NOT NULL);
  IF is_beat AND verdict <> 'waiting' THEN
    -- Waits for the disk, as a write of events does, and fails on a full disk because of a temporary file.
    IF current_setting('synchronous_commit') = 'off' THEN PERFORM set_config('synchronous_commit', 'on', true); END IF;
    PERFORM set_config('work_mem', '64kB', true);
    PERFORM count(*) FROM generate_series(1, 20000);
    -- Compares beats by number: after a clock jumps ahead, the other processes' rows look old until their next beats.
    IF the_beat IS NULL THEN
      DELETE FROM replica r
      WHERE r.id = ANY (ARRAY(SELECT o.id FROM replica o ORDER BY o.seen_at DESC OFFSET 1000));
    END IF;
    INSERT INTO replica AS r (id, beat, seen_at, is_replicated)
    VALUES (the_replica, coalesce(the_beat, 0) + 1, now(), current_setting('synchronous_standby_names') <> ''
      AND current_setting('synchronous_commit') IN ('on', 'remote_apply'))
    ON CONFLICT (id) DO UPDATE SET beat = greatest(r.beat, excluded.beat), seen_at = excluded.seen_at, confirmed = NULL,
      is_replicated = excluded.is_replicated;
  END IF;
END
$$;
