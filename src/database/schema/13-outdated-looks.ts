import type { MigrationInterface, QueryRunner } from 'typeorm';

import { RECORD_NOTICED_POLLS } from './10-due-now.ts';

/** As before, but it says which looks were at a payment that has changed since; former releases take the new answer too. */
const RECORD_POLLS = `CREATE FUNCTION record_polls(
     the_payments bigint[], the_tokens bigint[], the_in_ms int[], the_urgencies smallint[], are_silent boolean[],
     are_charged boolean[], the_poll_bys timestamptz[], the_unchanged timestamptz[], are_changes boolean[], the_bases int[], the_sequences int[], the_statuses text[],
     are_late boolean[], the_trackings text[], the_expiries timestamptz[], the_progresses timestamptz[],
     the_ends timestamptz[], the_marks text[], the_report_digests text[], the_stalls text[], the_contradictions text[],
     the_reports text[], the_event_polls int[], the_event_ids uuid[], the_event_sequences int[], the_event_types text[],
     the_event_bodies text[], the_time timestamptz, OUT overtaken int, OUT told int, OUT outdated int[]
   ) LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
   DECLARE
     held int[];
     kept int[];
   BEGIN
     -- The token is the fence: a look whose claim was taken over is not held.
     WITH rescheduled AS (
       UPDATE payment_schedule s
       SET due_at = least(now() + (coalesce(i.in_ms, 0) + ((SELECT stretch FROM provider_rate_limit)[i.urgency + 1] - 1)
             * least(coalesce(i.in_ms, 0), (SELECT scale_up_to_ms FROM provider_rate_limit)[i.urgency + 1]))
             * interval '1 millisecond',
           CASE WHEN i.poll_by > now() THEN greatest(i.poll_by, now() + i.in_ms * interval '1 millisecond')
             WHEN i.poll_by IS NOT NULL THEN now() + 10 * i.in_ms * interval '1 millisecond' END,
           -- Its provider told of news while this look was under way: it may have come before them.
           CASE WHEN s.noticed_at > s.polled_at
             THEN greatest(now(), s.polled_at + interval '1 second') END),
         poll_by = i.poll_by, unchanged_until = i.unchanged_until, mark = i.mark,
         interval_ms = coalesce(i.in_ms, s.interval_ms), urgency = i.urgency,
         silent_since = CASE WHEN i.is_silent THEN coalesce(s.silent_since, s.polled_at) END,
         answered_at = CASE WHEN i.is_silent THEN s.answered_at ELSE s.polled_at END,
         failures = CASE WHEN i.is_silent THEN least(s.failures + i.is_charged::int, 10000) ELSE 0 END
       FROM unnest(the_payments, the_tokens, the_in_ms, the_urgencies, are_silent, are_charged, the_poll_bys,
           the_unchanged, the_report_digests)
         WITH ORDINALITY
         AS i (id, token, in_ms, urgency, is_silent, is_charged, poll_by, unchanged_until, mark, n)
       WHERE s.payment_id = i.id AND s.token = i.token
       RETURNING i.n
     ) SELECT coalesce(array_agg(n), '{}') INTO held FROM rescheduled;
     -- The sequence is checked too: whatever else may happen, no number is given twice.
     WITH moved AS (
       UPDATE payment p
       SET sequence = i.sequence, status = i.status, late = i.late, tracking = i.tracking,
         expires_at = i.expires_at, progress_at = i.progress_at, ended_at = i.ended_at, marks = i.marks,
         report_digest = i.report_digest, stalls = ARRAY(SELECT json_array_elements_text(i.stalls::json)),
         contradictions = ARRAY(SELECT json_array_elements_text(i.contradictions::json)), updated_at = the_time
       FROM unnest(the_payments, are_changes, the_bases, the_sequences, the_statuses, are_late, the_trackings,
           the_expiries, the_progresses, the_ends, the_marks, the_report_digests, the_stalls, the_contradictions)
         WITH ORDINALITY
         AS i (id, is_change, base, sequence, status, late, tracking, expires_at, progress_at, ended_at, marks,
           report_digest, stalls, contradictions, n)
       WHERE p.id = i.id AND i.is_change AND i.n = ANY (held) AND p.sequence = i.base
       RETURNING i.n
     ) SELECT coalesce(array_agg(n), '{}') INTO kept FROM moved;
     -- The payment has changed since it was read: what was seen of it counts as known to nobody until it was judged anew.
     outdated := ARRAY(
       SELECT i.n FROM unnest(are_changes) WITH ORDINALITY AS i (is_change, n)
       WHERE i.is_change AND i.n = ANY (held) AND i.n <> ALL (kept));
     IF cardinality(outdated) > 0 THEN
       -- Whoever recorded it judges it anew and comes back at once; should that process end, another looks again.
       UPDATE payment_schedule SET unchanged_until = NULL, due_at = greatest(due_at, now() + interval '5 seconds')
       WHERE payment_id = ANY (ARRAY(SELECT the_payments[o.n] FROM unnest(outdated) AS o (n)));
     END IF;
     -- Only what was written too is closed: a look that could not be stays due, for another look.
     WITH gone AS (
       DELETE FROM payment_schedule s
       USING unnest(the_payments, the_in_ms, are_changes, the_statuses) WITH ORDINALITY
         AS i (id, in_ms, is_change, status, n)
       WHERE s.payment_id = i.id AND i.in_ms IS NULL AND i.n = ANY (held) AND (NOT i.is_change OR i.n = ANY (kept))
         -- Nor what its provider told news of meanwhile: they may be of a late deposit.
         AND (s.noticed_at > s.polled_at AND i.status <> 'COMPLETED') IS NOT TRUE
       RETURNING s.payment_id, s.polled_at
     ) UPDATE payment p SET tracking = 'closed', last_polled_at = gone.polled_at
     FROM gone WHERE p.id = gone.payment_id;
     INSERT INTO payment_report (payment_id, body, reported_at)
     SELECT i.id, i.body, the_time FROM unnest(the_payments, the_reports) WITH ORDINALITY AS i (id, body, n)
     WHERE i.body IS NOT NULL AND i.n = ANY (kept)
     ON CONFLICT (payment_id) DO UPDATE SET body = excluded.body, reported_at = excluded.reported_at;
     overtaken := cardinality(the_payments) - cardinality(held);
     told := (SELECT count(*) FROM unnest(the_event_polls) AS e (look) WHERE e.look = ANY (kept));
     IF told > 0 THEN
       PERFORM record_events(
         array_agg(e.id), array_agg(the_payments[e.look]), array_agg(e.sequence), array_agg(e.type),
         array_agg(e.body), the_time)
       FROM unnest(the_event_polls, the_event_ids, the_event_sequences, the_event_types, the_event_bodies)
         AS e (look, id, sequence, type, body)
       WHERE e.look = ANY (kept);
     END IF;
   END $$`;

const UP = [`DROP FUNCTION record_polls`, RECORD_POLLS];

const DOWN = [`DROP FUNCTION record_polls`, RECORD_NOTICED_POLLS];

export class OutdatedPolls1779000000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
