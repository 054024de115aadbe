-- Commits poll results: each payment's next poll, state, report, events and deliveries. One call replaces eight statements.
-- Each statement of the function sees everything that was committed before it began, as in any READ COMMITTED transaction.
-- the_polls is a JSON array of poll_record, all of the_provider; poll n below is its n-th element.
--   overtaken  number of polls that were dropped because another claim has replaced theirs
--   published  number of events that were recorded
--   leased_deliveries, due_destinations  as in record_events, which also explains the_offers
--   outdated   polls of payments that have changed since they were read; nothing was written for these
CREATE OR REPLACE FUNCTION record_polls(
  the_polls json,
  the_time timestamptz,
  the_offers json,
  the_provider text,
  OUT overtaken int,
  OUT published int,
  OUT outdated int[],
  OUT leased_deliveries json,
  OUT due_destinations uuid[]
)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  polls poll_record[] := ARRAY(SELECT p FROM json_populate_recordset(NULL::poll_record, the_polls) p);
  held int[];
  kept int[];
  -- Runs before the transaction has an id: see docs/inside/event-log.md.
  present_epoch int := (SELECT j.epoch FROM join_log() j);
BEGIN
  -- The token is the fence: a poll whose claim was taken over matches no row.
  WITH rescheduled AS (
    UPDATE payment_schedule s
    SET due_at = least(
        -- An interval counts from the request: a slow answer does not lengthen it.
        greatest(now(),
          least(x.asked_at + scaled_interval(coalesce(x.in_ms, 0), x.factor, x.up_to_ms),
            latest_poll(i.poll_by, now(), x.in_ms)),
          x.asked_at + coalesce(x.in_ms, 0) * interval '1 millisecond'),
        -- The provider reported news while this poll was under way: the poll's answer may be older than the news.
        CASE WHEN s.noticed_at > s.polled_at AND NOT i.is_final
          THEN greatest(now(), s.polled_at + interval '1 second') END),
      poll_by = i.poll_by, report_digest = i.report_digest,
      -- A poll that was judged before the database went back must not hide the present state, which must be published.
      unchanged_until = CASE WHEN i.epoch = present_epoch THEN i.unchanged_until END,
      interval_ms = coalesce(x.in_ms, s.interval_ms), urgency = i.urgency,
      silent_since = CASE WHEN i.is_silent THEN coalesce(s.silent_since, s.polled_at) END,
      answered_at = CASE WHEN i.is_silent THEN s.answered_at ELSE s.polled_at END,
      failures = CASE WHEN i.is_silent THEN least(s.failures + i.is_charged::int, 10000) ELSE 0 END
    FROM unnest(polls) WITH ORDINALITY AS i,
    -- LATERAL keeps the order of the polls, in which all processes lock their rows. No interval is below the minimum gap
    -- between two polls, even if the clock of the process that judged the poll is wrong.
    LATERAL (
      SELECT factor, up_to_ms, CASE WHEN i.in_ms IS NOT NULL THEN greatest(i.in_ms, i.gap_ms) END AS in_ms,
        now() - i.asked_ago_ms * interval '1 millisecond' AS asked_at
      FROM interval_scale WHERE provider = the_provider AND urgency = i.urgency LIMIT 1
    ) x
    WHERE s.payment_id = i.payment_id AND s.token = i.token
    RETURNING i.ordinality AS n
  ) SELECT coalesce(array_agg(n), '{}') INTO held FROM rescheduled;
  -- Checks the sequence and the epoch as well as the token, so that no event number is ever given twice.
  WITH moved AS (
    UPDATE payment p
    SET sequence = CASE WHEN cardinality(i.events) = 0 THEN p.sequence ELSE i.sequence END,
      epoch = CASE WHEN cardinality(i.events) = 0 THEN p.epoch ELSE present_epoch END,
      status = i.status, late = i.late, tracking = i.tracking, expires_at = i.expires_at, progress_at = i.progress_at, ended_at = i.ended_at,
      part_digests = i.part_digests, report_digest = i.report_digest, stalls = i.stalls, contradictions = i.contradictions, match = i.match, updated_at = the_time,
      -- A resolution holds only while the payment keeps the status in which a person resolved it, a release only until the next
      -- contradiction.
      resolution = CASE WHEN p.status = i.status AND (p.contradictions = i.contradictions OR is_settled(p.resolution)) THEN p.resolution END
    FROM unnest(polls) WITH ORDINALITY AS i
    WHERE p.id = i.payment_id AND i.is_change AND i.ordinality = ANY (held)
      AND p.sequence = i.base_sequence AND i.epoch = present_epoch
    RETURNING i.ordinality AS n
  ) SELECT coalesce(array_agg(n), '{}') INTO kept FROM moved;
  outdated := ARRAY(
    SELECT i.ordinality FROM unnest(polls) WITH ORDINALITY AS i
    WHERE i.is_change AND i.ordinality = ANY (held) AND i.ordinality <> ALL (kept));
  IF cardinality(outdated) > 0 THEN
    -- The calling process judges these answers anew and records them at once. If it ends before, another process polls the
    -- payment after five seconds, or after the minimum gap between two polls.
    UPDATE payment_schedule SET unchanged_until = NULL,
      due_at = greatest(now() + interval '5 seconds', polled_at + (polls[1]).gap_ms * interval '1 millisecond')
    WHERE payment_id = ANY (ARRAY(SELECT polls[n].payment_id FROM unnest(outdated) AS n));
  END IF;
  -- Closes payments without a next poll. Payments that have completed, but whose change was not written, stay due for another
  -- poll.
  WITH gone AS (
    DELETE FROM payment_schedule s
    USING unnest(polls) WITH ORDINALITY AS i
    WHERE s.payment_id = i.payment_id AND i.in_ms IS NULL AND i.ordinality = ANY (held)
      AND (NOT i.is_change OR i.ordinality = ANY (kept))
      -- A payment stays open when its provider reported news meanwhile: the news may be a late deposit.
      AND (s.noticed_at > s.polled_at AND NOT i.is_final) IS NOT TRUE
    RETURNING s.payment_id, s.polled_at
  ) UPDATE payment p SET tracking = 'closed', last_polled_at = gone.polled_at
  FROM gone WHERE p.id = gone.payment_id;
  overtaken := cardinality(polls) - cardinality(held);
  SELECT coalesce(sum(cardinality(i.events)), 0) INTO published
  FROM unnest(polls) WITH ORDINALITY AS i WHERE i.ordinality = ANY (kept);
  SELECT v.leased_deliveries, v.due_destinations INTO leased_deliveries, due_destinations
  FROM (
    SELECT array_agg(e.id) AS ids, array_agg(i.payment_id) AS payments, array_agg(e.sequence) AS sequences,
      array_agg(e.type) AS types, array_agg(e.body) AS bodies, array_agg(e.in_order) AS in_orders
    FROM unnest(polls) WITH ORDINALITY AS i, unnest(i.events) AS e
    WHERE i.ordinality = ANY (kept)
  ) e, (
    SELECT array_agg(i.payment_id) AS payments, array_agg(i.report) AS reports
    FROM unnest(polls) WITH ORDINALITY AS i
    WHERE i.report IS NOT NULL AND i.ordinality = ANY (kept)
  ) r, record_events(
    coalesce(e.ids, '{}'), coalesce(e.payments, '{}'), e.sequences, e.types, coalesce(e.bodies, '{}'), e.in_orders, the_time,
    coalesce(r.payments, '{}'), coalesce(r.reports, '{}'), the_offers) v
  WHERE e.ids IS NOT NULL OR r.payments IS NOT NULL;
END
$$;
