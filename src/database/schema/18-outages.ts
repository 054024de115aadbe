import type { MigrationInterface, QueryRunner } from 'typeorm';

import { KEEP_ATTEMPTS, TAKE_PROBES } from './5-attempts.ts';

/**
 * How long an endpoint is left alone follows from how long it has failed, and an endpoint's row tells when it took an
 * event last.
 */
const UP = [
  `ALTER TABLE destination ADD COLUMN delivered_at timestamptz`,
  `ALTER TABLE endpoint_circuit DROP COLUMN probes`,

  // The one rule for the wait before a probe: a quarter of the outage so far, within bounds.
  `CREATE FUNCTION probe_wait(failing_since timestamptz) RETURNS interval LANGUAGE sql STABLE AS $$
     SELECT greatest(interval '30 seconds',
       least(interval '10 minutes', (now() - coalesce(failing_since, now())) / 4))
   $$`,
  `UPDATE endpoint_circuit SET probe_at = least(probe_at, now() + probe_wait(failing_since)) WHERE state = 'open'`,

  // What one success does to the circuits of these, whose rows the caller has locked: an open one recovers.
  `CREATE FUNCTION note_success(the_destinations uuid[]) RETURNS TABLE (destination_id uuid, change text)
   LANGUAGE plpgsql AS $$
   #variable_conflict use_column
   BEGIN
     RETURN QUERY
       UPDATE endpoint_circuit c
       SET failures = 0, failing_since = NULL, probe_at = NULL,
         state = CASE c.state WHEN 'open' THEN 'recovering' ELSE c.state END,
         recovered_at = CASE c.state WHEN 'open' THEN now() ELSE c.recovered_at END
       WHERE c.destination_id = ANY (the_destinations) AND (c.failures > 0 OR c.state = 'open')
       RETURNING c.destination_id, CASE WHEN c.recovered_at = now() THEN 'recovered' END;
   END $$`,

  // As before, but for the wait before a probe, and for the endpoints that took something, which is noted in their rows.
  `CREATE OR REPLACE FUNCTION keep_attempts(
     held bigint[], the_ids bigint[], the_failures text[], the_http_statuses smallint[], are_kept boolean[],
     the_durations int[], the_ages_ms float8[], the_addresses text[], the_excerpts bytea[]
   ) RETURNS TABLE (destination_id uuid, change text) LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
   #variable_conflict use_column
   DECLARE
     good uuid[];
     bad uuid[];
     counts int[];
   BEGIN
     WITH mine AS (
       SELECT d.id, d.destination_id, d.attempts, i.n
       FROM unnest(the_ids, are_kept) WITH ORDINALITY AS i (id, is_kept, n)
       JOIN delivery d ON d.id = i.id
       WHERE i.is_kept AND i.n = ANY (held)
     ), kept AS (
       INSERT INTO attempt (delivery_id, number, made_at, duration_ms, address, http_status, failure, excerpt)
       SELECT m.id, m.attempts, now() - a.age_ms * interval '1 millisecond', a.duration_ms, a.address,
         a.http_status, a.failure, a.excerpt
       FROM mine m
       JOIN unnest(the_durations, the_ages_ms, the_addresses, the_http_statuses, the_failures, the_excerpts)
         WITH ORDINALITY AS a (duration_ms, age_ms, address, http_status, failure, excerpt, n) ON a.n = m.n
     ), ended AS (
       SELECT m.destination_id, bool_or(the_failures[m.n] IS NULL) AS is_good, count(*)::int AS attempts
       FROM mine m GROUP BY m.destination_id
     )
     SELECT array_agg(e.destination_id) FILTER (WHERE e.is_good),
       array_agg(e.destination_id) FILTER (WHERE NOT e.is_good),
       array_agg(e.attempts) FILTER (WHERE NOT e.is_good)
     INTO good, bad, counts FROM ended e;
     -- In one order, so that two who settle never wait for each other.
     PERFORM 1 FROM endpoint_circuit c
     WHERE c.destination_id = ANY (bad)
       OR (c.destination_id = ANY (good) AND (c.failures > 0 OR c.state = 'open'))
     ORDER BY c.destination_id FOR UPDATE;
     IF FOUND THEN
       RETURN QUERY SELECT s.destination_id, s.change FROM note_success(good) s;
     END IF;
     IF good IS NOT NULL THEN
       -- Each 5 s at most, and not where somebody else writes the row: what goes well must cost nothing.
       UPDATE destination x SET delivered_at = now()
       WHERE x.id = ANY (ARRAY(
         SELECT s.id FROM destination s
         WHERE s.id = ANY (good) AND (s.delivered_at IS NULL OR s.delivered_at < now() - interval '5 seconds')
         ORDER BY s.id FOR NO KEY UPDATE SKIP LOCKED));
     END IF;
     IF bad IS NULL THEN RETURN; END IF;
     RETURN QUERY
       INSERT INTO endpoint_circuit AS c (destination_id, state, failures, failing_since, probe_at, opened_at)
       SELECT f.id, CASE WHEN f.attempts >= 10 THEN 'open' ELSE 'closed' END, f.attempts, now(),
         CASE WHEN f.attempts >= 10 THEN now() + probe_wait(now()) END,
         CASE WHEN f.attempts >= 10 THEN now() END
       FROM unnest(bad, counts) AS f (id, attempts)
       JOIN destination x ON x.id = f.id
       ORDER BY f.id
       ON CONFLICT (destination_id) DO UPDATE
       SET failures = c.failures + excluded.failures, failing_since = coalesce(c.failing_since, now()),
         state = CASE WHEN c.failures + excluded.failures >= 10 THEN 'open' ELSE c.state END,
         probe_at = CASE WHEN c.state = 'open' OR c.failures + excluded.failures < 10 THEN c.probe_at
           ELSE now() + probe_wait(c.failing_since) END,
         opened_at = CASE WHEN c.state = 'open' OR c.failures + excluded.failures < 10 THEN c.opened_at
           ELSE now() END
       RETURNING c.destination_id,
         CASE WHEN c.state <> 'open' THEN NULL WHEN c.opened_at = now() THEN 'opened' ELSE 'open' END;
     RETURN QUERY
       UPDATE destination x
       SET enabled = false, disabled_reason = 'failed everything for 5 days'
       FROM endpoint_circuit c
       WHERE c.destination_id = ANY (bad) AND c.failures >= 20 AND c.failing_since <= now() - interval '5 days'
         AND x.id = c.destination_id AND x.enabled
       RETURNING x.id, 'disabled';
   END $$`,

  // Those whose probe is due and who have something to send, each to one asker.
  `CREATE OR REPLACE FUNCTION take_probes(the_destinations uuid[]) RETURNS SETOF uuid LANGUAGE sql AS $$
     UPDATE endpoint_circuit c
     SET probe_at = now() + probe_wait(c.failing_since)
     WHERE c.destination_id = ANY (ARRAY(
       SELECT o.destination_id FROM endpoint_circuit o
       WHERE o.destination_id = ANY (the_destinations) AND o.state = 'open' AND o.probe_at <= now()
         AND EXISTS (
           SELECT 1 FROM delivery d
           WHERE d.destination_id = o.destination_id AND d.due_at IS NOT NULL AND (NOT d.leased OR d.due_at <= now()))
       ORDER BY o.destination_id FOR UPDATE SKIP LOCKED))
     RETURNING c.destination_id
   $$`,
];

const DOWN = [
  `DROP FUNCTION take_probes`,
  `DROP FUNCTION keep_attempts`,
  `DROP FUNCTION note_success`,
  `DROP FUNCTION probe_wait`,
  `ALTER TABLE endpoint_circuit ADD COLUMN probes integer NOT NULL DEFAULT 0`,
  `ALTER TABLE destination DROP COLUMN delivered_at`,
  KEEP_ATTEMPTS,
  TAKE_PROBES,
];

export class Outages1779000000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
