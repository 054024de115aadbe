import type { MigrationInterface, QueryRunner } from 'typeorm';

import { SETTLE_DELIVERIES } from './3-one-round-trip.ts';

/** The n-th elements of the arrays are one attempt; are_kept marks those at webhook endpoints, held those that count. */
export const KEEP_ATTEMPTS = `CREATE FUNCTION keep_attempts(
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
     RETURN QUERY
       UPDATE endpoint_circuit c
       SET failures = 0, failing_since = NULL, probes = 0, probe_at = NULL,
         state = CASE c.state WHEN 'open' THEN 'recovering' ELSE c.state END,
         recovered_at = CASE c.state WHEN 'open' THEN now() ELSE c.recovered_at END
       WHERE c.destination_id = ANY (good) AND (c.failures > 0 OR c.state = 'open')
       RETURNING c.destination_id, CASE WHEN c.recovered_at = now() THEN 'recovered' END;
     IF bad IS NULL THEN RETURN; END IF;
     RETURN QUERY
       INSERT INTO endpoint_circuit AS c (destination_id, state, failures, failing_since, probe_at, opened_at)
       SELECT f.id, CASE WHEN f.attempts >= 10 THEN 'open' ELSE 'closed' END, f.attempts, now(),
         CASE WHEN f.attempts >= 10 THEN now() + interval '30 seconds' END,
         CASE WHEN f.attempts >= 10 THEN now() END
       FROM unnest(bad, counts) AS f (id, attempts)
       JOIN destination x ON x.id = f.id
       ORDER BY f.id
       ON CONFLICT (destination_id) DO UPDATE
       SET failures = c.failures + excluded.failures, failing_since = coalesce(c.failing_since, now()),
         state = CASE WHEN c.failures + excluded.failures >= 10 THEN 'open' ELSE c.state END,
         probes = CASE c.state WHEN 'open' THEN c.probes ELSE 0 END,
         probe_at = CASE WHEN c.state = 'open' OR c.failures + excluded.failures < 10 THEN c.probe_at
           ELSE now() + interval '30 seconds' END,
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
   END $$`;

/** Those whose probe is due and who have something to send, each to one asker; the waits double, up to ten minutes. */
export const TAKE_PROBES = `CREATE FUNCTION take_probes(the_destinations uuid[]) RETURNS SETOF uuid LANGUAGE sql AS $$
     UPDATE endpoint_circuit c
     SET probes = c.probes + 1,
       probe_at = now() + least(30 * 2 ^ least(c.probes, 10), 600) * interval '1 second'
     WHERE c.destination_id = ANY (ARRAY(
       SELECT o.destination_id FROM endpoint_circuit o
       WHERE o.destination_id = ANY (the_destinations) AND o.state = 'open' AND o.probe_at <= now()
         AND EXISTS (
           SELECT 1 FROM delivery d
           WHERE d.destination_id = o.destination_id AND d.due_at IS NOT NULL AND (NOT d.leased OR d.due_at <= now()))
       ORDER BY o.destination_id FOR UPDATE SKIP LOCKED))
     RETURNING c.destination_id
   $$`;

/**
 * Every attempt at a webhook endpoint is kept, and what they come to opens and closes the endpoint's circuit, all in the
 * round trip that settles the deliveries. A circuit's row appears with the first failure: what goes well writes nothing.
 */
const UP = [
  `DROP FUNCTION settle_deliveries`,
  // As before, and answers which of the outcomes were written, by their place in the arrays.
  `CREATE FUNCTION settle_deliveries(
     the_ids bigint[], the_tokens bigint[], the_states text[], the_in_ms bigint[], the_attempts int[],
     hold_lanes boolean[], the_failures text[], the_http_statuses smallint[], are_routed boolean[]
   ) RETURNS bigint[] LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
   DECLARE
     held bigint[];
   BEGIN
     -- In the order of ids, as a recorder locks them too; only those whose claim still stands.
     SELECT array_agg(mine.n) INTO held FROM (
       SELECT i.n FROM delivery d
       JOIN unnest(the_ids, the_tokens) WITH ORDINALITY AS i (id, token, n) ON d.id = i.id AND d.token = i.token
       WHERE d.state = 'pending'
       ORDER BY d.id FOR UPDATE OF d
     ) mine;
     IF held IS NULL THEN RETURN '{}'; END IF;
     UPDATE delivery d
     SET state = i.state, leased = false, token = d.token + 1, attempts = d.attempts + i.attempt,
       retries = d.retries + i.attempt,
       first_attempt_at = coalesce(d.first_attempt_at, CASE WHEN i.attempt = 1 THEN d.last_attempt_at END),
       due_at = CASE WHEN i.state = 'pending' THEN now() + i.in_ms * interval '1 millisecond' END,
       lane = CASE WHEN i.holds_lane THEN d.lane ELSE 2 END,
       last_failure = CASE WHEN i.attempt = 0 THEN d.last_failure ELSE i.failure END,
       last_http_status = CASE WHEN i.attempt = 0 THEN d.last_http_status ELSE i.http_status END
     FROM unnest(the_ids, the_states, the_in_ms, the_attempts, hold_lanes, the_failures, the_http_statuses)
       WITH ORDINALITY AS i (id, state, in_ms, attempt, holds_lane, failure, http_status, n)
     WHERE d.id = i.id AND i.n = ANY (held);
     -- A statement of its own: it must see what was inserted while the lock was waited for.
     -- Lane by lane, in the index's own order: with old statistics, a join reads all that the endpoint has for each lane.
     WITH lanes AS MATERIALIZED (
       SELECT DISTINCT d.payment_id, d.destination_id FROM delivery d
       WHERE d.id = ANY (ARRAY(SELECT the_ids[n] FROM unnest(held) AS h (n)))
     ), heads AS MATERIALIZED (
       SELECT next.id FROM lanes l, LATERAL (
         SELECT w.id, w.lane, bool_or(w.lane = 1) OVER () AS has_head, w.sequence FROM (
           SELECT id, lane, sequence FROM delivery
           WHERE payment_id = l.payment_id AND destination_id = l.destination_id AND state = 'pending'
           ORDER BY payment_id, destination_id, sequence OFFSET 0
         ) w
         ORDER BY w.lane, w.sequence LIMIT 1
       ) next
       WHERE next.lane = 0 AND NOT next.has_head
     )
     UPDATE delivery SET lane = 1, due_at = now() WHERE id = ANY (ARRAY(SELECT id FROM heads));
     -- Once a later event was routed, an earlier one that nobody was bound for would only come out of order.
     UPDATE delivery d SET state = 'failed', due_at = NULL
     FROM unnest(the_ids, are_routed) WITH ORDINALITY AS i (id, is_routed, n)
     JOIN delivery routed ON routed.id = i.id
     WHERE i.is_routed AND i.n = ANY (held) AND d.payment_id = routed.payment_id
       AND d.destination_id = routed.destination_id AND d.sequence < routed.sequence
       AND d.state = 'pending' AND d.lane = 2 AND d.last_failure = 'unroutable' AND NOT d.leased;
     RETURN held;
   END $$`,
  `CREATE TABLE attempt (
     delivery_id bigint NOT NULL,
     number integer NOT NULL,
     made_at timestamptz NOT NULL,
     duration_ms integer NOT NULL,
     address text,
     http_status smallint,
     failure text,
     excerpt bytea,
     PRIMARY KEY (delivery_id, number)
   )`,
  `CREATE TABLE endpoint_circuit (
     destination_id uuid PRIMARY KEY,
     state text NOT NULL,
     failures integer NOT NULL,
     failing_since timestamptz,
     probes integer NOT NULL DEFAULT 0,
     probe_at timestamptz,
     opened_at timestamptz,
     recovered_at timestamptz
   ) WITH (fillfactor = 50)`,
  // When a delivery that is tried early, as a probe, would have been due.
  `ALTER TABLE delivery ADD COLUMN resume_at timestamptz`,
  `DROP INDEX delivery_due`,
  `CREATE INDEX delivery_due ON delivery (destination_id, due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX delivery_listed ON delivery (destination_id, state, id)`,

  KEEP_ATTEMPTS,

  TAKE_PROBES,

  // What waits for a retry since before the endpoint recovered is due now, beside its schedule; closed when there is none.
  `CREATE FUNCTION bring_forward(the_destination uuid, the_limit int) RETURNS int LANGUAGE plpgsql AS $$
   DECLARE
     brought int;
   BEGIN
     WITH chosen AS (
       SELECT d.id FROM delivery d
       JOIN endpoint_circuit c ON c.destination_id = d.destination_id
       WHERE d.destination_id = the_destination AND d.due_at > now() AND NOT d.leased AND d.retries > 0
         AND d.last_attempt_at < c.recovered_at
       ORDER BY d.due_at, d.id LIMIT the_limit FOR UPDATE OF d SKIP LOCKED
     )
     UPDATE delivery d SET due_at = now(), retries = d.retries - 1 FROM chosen WHERE d.id = chosen.id;
     GET DIAGNOSTICS brought = ROW_COUNT;
     -- What somebody else holds for a moment was passed over, and is brought forward by the next call.
     IF brought < the_limit THEN
       UPDATE endpoint_circuit c SET state = 'closed'
       WHERE c.destination_id = the_destination AND c.state = 'recovering' AND NOT EXISTS (
         SELECT 1 FROM delivery d
         WHERE d.destination_id = the_destination AND d.due_at > now() AND NOT d.leased AND d.retries > 0
           AND d.last_attempt_at < c.recovered_at);
     END IF;
     RETURN brought;
   END $$`,
];

const DOWN = [
  `DROP FUNCTION settle_deliveries`,
  SETTLE_DELIVERIES,
  `DROP FUNCTION bring_forward`,
  `DROP FUNCTION take_probes`,
  `DROP FUNCTION keep_attempts`,
  `DROP INDEX delivery_listed`,
  `DROP INDEX delivery_due`,
  `CREATE INDEX delivery_due ON delivery (destination_id, due_at) WHERE due_at IS NOT NULL`,
  `ALTER TABLE delivery DROP COLUMN resume_at`,
  `DROP TABLE endpoint_circuit`,
  `DROP TABLE attempt`,
];

export class Attempts1779000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
