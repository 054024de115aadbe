-- Stores new payments, each with its quote, schedule, first events and their deliveries, and completes the claims of
-- idempotency keys and the requests for the quotes. the_payments is a JSON array of new_payment with different quotes;
-- payment n below is its n-th element.
--   present_epoch  when it is not known_epoch, nothing is stored: the epoch numbers events
--   added          payments that were new; nothing is written for payments that were stored already
--   first_polls    when each new payment that is polled is due first
--   leased_deliveries, due_destinations  as in record_events, which also explains the_offers
-- Raises PB002 for a removed payment, and PB003 for a claim that another request has taken over; then nothing is stored. The
-- plans look up each row by a key, whatever the statistics say, and are kept.
CREATE OR REPLACE FUNCTION add_payments(
  the_payments json,
  the_time timestamptz,
  known_epoch int,
  the_offers json,
  OUT present_epoch int,
  OUT added int[],
  OUT first_polls timestamptz[],
  OUT leased_deliveries json,
  OUT due_destinations uuid[]
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
  payments new_payment[] := ARRAY(SELECT p FROM json_populate_recordset(NULL::new_payment, the_payments) p);
  ids bigint[];
  claims int;
BEGIN
  -- Runs before the transaction has an id: see docs/inside/event-log.md.
  present_epoch := (SELECT j.epoch FROM join_log() j);
  IF present_epoch <> known_epoch THEN RETURN; END IF;
  -- A row that another session holds delays only its own caller: its payment is then added alone.
  IF cardinality(payments) > 1 THEN PERFORM set_config('lock_timeout', '500ms', true); END IF;
  -- All processes insert in one order, so that no two ever wait for each other.
  WITH inserted AS (
    INSERT INTO payment (quote_id, provider, order_id, order_fold, metadata, status, late, sequence, epoch, tracking, created_at, expires_at,
      updated_at, progress_at, ended_at, last_polled_at, part_digests, report_digest, stalls, contradictions, expected_ms,
      traceparent, match)
    SELECT i.quote_id, i.provider, i.order_id, i.order_fold, i.metadata, i.status, i.late, i.sequence, i.epoch, i.tracking, i.created_at, i.expires_at,
      the_time, i.progress_at, i.ended_at, CASE WHEN i.tracking = 'closed' THEN the_time END, i.part_digests, i.report_digest,
      i.stalls, i.contradictions, i.expected_ms, i.traceparent, i.match
    FROM unnest(payments) AS i ORDER BY i.quote_id COLLATE "C"
    ON CONFLICT (quote_id) DO NOTHING
    RETURNING id, quote_id
  ) SELECT coalesce(array_agg(i.ordinality ORDER BY i.ordinality), '{}'), array_agg(p.id ORDER BY i.ordinality) INTO added, ids
  FROM unnest(payments) WITH ORDINALITY AS i JOIN inserted p USING (quote_id);
  IF cardinality(added) = 0 THEN RETURN; END IF;
  payments := ARRAY(SELECT payments[n] FROM unnest(added) AS n);
  -- Each row has one request, and no other session locks it.
  DELETE FROM unanswered_quote q USING unnest(payments) AS i WHERE q.id = i.attempt_id;
  -- Runs as a statement of its own after the insert: if the insert waited for a removal, this statement sees it.
  IF (SELECT bool_or(was_removed(i.quote_id)) FROM unnest(payments) AS i) THEN
    RAISE EXCEPTION 'a payment with this id was removed' USING ERRCODE = 'PB002';
  END IF;
  INSERT INTO payment_quote (payment_id, body)
  SELECT i.id, i.quote FROM ROWS FROM (unnest(ids), unnest(payments)) AS i (id) WHERE i.quote IS NOT NULL;
  -- Locks rows in the order of PostgresIdempotency, which locks the same rows for repeated requests.
  UPDATE idempotency k SET quote_id = i.quote_id
  FROM (SELECT p.* FROM unnest(payments) AS p ORDER BY p.claim_scope COLLATE "C", p.claim_key COLLATE "C" OFFSET 0) i
  WHERE k.scope = i.claim_scope AND k.key = i.claim_key AND k.token = i.claim_token;
  GET DIAGNOSTICS claims = ROW_COUNT;
  IF claims < (SELECT count(i.claim_token) FROM unnest(payments) AS i) THEN
    RAISE EXCEPTION 'the claim of an idempotency key was taken over' USING ERRCODE = 'PB003';
  END IF;
  -- A random spread lengthens the interval and shortens its scaled part, but keeps the gap to the poll that found the payment.
  -- The token begins with the time: a row that is made again never repeats a token of the former row.
  WITH inserted AS (
    INSERT INTO payment_schedule (payment_id, provider, due_at, interval_ms, urgency, token, polled_at, poll_by, quote_id, report_digest)
    SELECT i.id, i.provider,
      greatest(
        least(latest_poll(i.poll_by, now(), i.in_ms),
          now() + scaled_interval(i.in_ms, x.factor, x.up_to_ms) * (1 - i.spread)
            + 2 * i.spread * i.in_ms * interval '1 millisecond'),
        i.polled_at + i.gap_ms * interval '1 millisecond'),
      i.in_ms, i.urgency, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, i.polled_at, i.poll_by, i.quote_id,
      i.report_digest
    FROM ROWS FROM (unnest(ids), unnest(payments)) AS i (id)
    JOIN interval_scale x ON x.provider = i.provider AND x.urgency = i.urgency
    WHERE i.in_ms IS NOT NULL
    RETURNING payment_id, due_at
  ) SELECT array_agg(s.due_at ORDER BY array_position(ids, s.payment_id)) INTO first_polls FROM inserted s;
  SELECT v.leased_deliveries, v.due_destinations INTO leased_deliveries, due_destinations
  FROM (
    SELECT array_agg(e.id) AS ids, array_agg(i.id) AS payments, array_agg(e.sequence) AS sequences,
      array_agg(e.type) AS types, array_agg(e.body) AS bodies, array_agg(e.in_order) AS in_orders
    FROM ROWS FROM (unnest(ids), unnest(payments)) AS i (id), unnest(i.events) AS e
  ) e, (
    SELECT coalesce(array_agg(i.id), '{}') AS payments, coalesce(array_agg(i.report), '{}') AS reports
    FROM ROWS FROM (unnest(ids), unnest(payments)) AS i (id)
    WHERE i.report IS NOT NULL
  ) r, record_events(e.ids, e.payments, e.sequences, e.types, e.bodies, e.in_orders, the_time, r.payments, r.reports, the_offers) v;
END
$$;
