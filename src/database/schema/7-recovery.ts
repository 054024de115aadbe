import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sends again what an endpoint did not acknowledge since a time: a job in rows, worked off batch by batch. The endpoint is
 * joined, not named: what old statistics say of a new one, that it has nothing, would have all that it has read each time.
 */
const UP = [
  `CREATE TABLE recovery (
     id uuid PRIMARY KEY,
     destination_id uuid NOT NULL,
     since timestamptz NOT NULL,
     state text NOT NULL,
     event_count integer NOT NULL,
     done integer NOT NULL DEFAULT 0,
     cursor_position bigint NOT NULL,
     until_position bigint NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     finished_at timestamptz
   )`,
  `CREATE INDEX recovery_running ON recovery (id) WHERE state = 'running'`,
  `CREATE INDEX recovery_listed ON recovery (destination_id, created_at DESC, id DESC)`,
  `CREATE INDEX event_time ON event USING brin (time) WITH (autosummarize = on)`,
  // Whether one endpoint has an event, without a look at what all the others have of it.
  `DROP INDEX delivery_event`,
  `CREATE INDEX delivery_event ON delivery (event_position, destination_id)`,

  // What an endpoint wants since then and has not acknowledged; no row where there is no endpoint. Loops over each of them
  // are left out of the plans: with old statistics, one would read all that the endpoint has for each event.
  `CREATE FUNCTION missed_events(the_destination uuid, the_since timestamptz)
   RETURNS TABLE (event_count int, first_position bigint, last_position bigint)
   LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET enable_nestloop = off AS $$
   DECLARE
     wanted text[];
     from_position bigint;
     events bigint;
   BEGIN
     SELECT x.event_types INTO wanted FROM destination x WHERE x.id = the_destination AND x.kind = 'webhook';
     IF NOT FOUND THEN RETURN; END IF;
     -- Counted too: the least alone would be looked for from the beginning of the log.
     SELECT min(e.position), count(*) INTO from_position, events FROM event e WHERE e.time >= the_since;
     RETURN QUERY
       SELECT count(*)::int, min(e.position), max(e.position) FROM event e
       WHERE e.time >= the_since AND (wanted = '{}' OR e.type = ANY (wanted)) AND NOT EXISTS (
         SELECT 1 FROM delivery d
         WHERE d.event_position = e.position AND d.event_position >= from_position
           AND d.destination_id = the_destination AND d.state = 'delivered');
   END $$`,

  // Makes these events pending at one endpoint, in the order of their lanes; answers how many of them are.
  `CREATE FUNCTION replay_events(the_destination uuid, the_positions bigint[], the_payments bigint[])
   RETURNS int LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
   DECLARE
     in_lanes bigint[];
     recovered int;
   BEGIN
     -- First the payments, as recorders hold them: nobody else adds to these lanes until the end of the transaction.
     PERFORM 1 FROM payment WHERE id = ANY (the_payments) ORDER BY id FOR NO KEY UPDATE;
     WITH target AS MATERIALIZED (SELECT the_destination AS id)
     INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane)
     SELECT t.id, e.payment_id, e.position, e.sequence, 0
     FROM event e CROSS JOIN target t
     WHERE e.position = ANY (the_positions) AND NOT EXISTS (
       SELECT 1 FROM delivery d WHERE d.event_position = e.position AND d.destination_id = t.id)
     ORDER BY e.position;
     WITH target AS MATERIALIZED (SELECT the_destination AS id)
     SELECT array_agg(d.id) INTO in_lanes
     FROM event e CROSS JOIN target t JOIN delivery d ON d.event_position = e.position AND d.destination_id = t.id
     WHERE e.payment_id = ANY (the_payments);
     -- Then the lanes, in the order of ids: whoever settles one of these at this moment has done so, or waits.
     SELECT count(*) FILTER (WHERE l.event_position = ANY (the_positions)) INTO recovered FROM (
       SELECT event_position FROM delivery WHERE id = ANY (in_lanes) AND state <> 'delivered' ORDER BY id FOR UPDATE
     ) l;
     -- A statement of its own, which sees what was settled meanwhile. What was missed has its whole schedule before it,
     -- another head that it goes before or behind loses none of its own. An attempt that is under way goes on.
     UPDATE delivery d
     SET state = 'pending', leased = false, token = d.token + 1, lane = CASE WHEN n.is_head THEN 1 ELSE 0 END,
       due_at = CASE WHEN n.is_head THEN now() END,
       retries = CASE WHEN n.is_missed THEN 0 WHEN d.due_at > now() THEN greatest(d.retries - 1, 0)
         ELSE d.retries END,
       first_attempt_at = CASE WHEN NOT n.is_missed THEN d.first_attempt_at END
     FROM (
       SELECT w.id, w.is_missed,
         NOT w.is_held AND row_number() OVER (PARTITION BY w.payment_id ORDER BY w.sequence) = 1 AS is_head
       FROM (
         SELECT l.id, l.payment_id, l.sequence, l.state, l.lane, l.leased,
           l.event_position = ANY (the_positions) AS is_missed,
           bool_or(l.state = 'pending' AND l.lane = 1 AND l.leased) OVER (PARTITION BY l.payment_id) AS is_held
         FROM delivery l WHERE l.id = ANY (in_lanes)
       ) w
       WHERE w.state <> 'delivered' AND NOT w.leased AND (w.is_missed OR (w.state = 'pending' AND w.lane <> 2))
     ) n
     WHERE d.id = n.id AND (n.is_head OR d.state <> 'pending' OR d.lane <> 0 OR (n.is_missed AND d.retries > 0));
     RETURN recovered;
   END $$`,

  // One batch of one job that nobody else works on: how many events it made pending; null when there is no job.
  `CREATE FUNCTION work_off_replay(to_poll int, to_replay int)
   RETURNS int LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
   DECLARE
     job recovery;
     wanted text[];
     positions bigint[];
     payments bigint[];
     reached bigint;
     recovered int := 0;
   BEGIN
     SELECT r.* INTO job FROM recovery r WHERE r.state = 'running' ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED;
     IF NOT FOUND THEN RETURN NULL; END IF;
     SELECT x.event_types INTO wanted FROM destination x
     WHERE x.id = job.destination_id AND x.kind = 'webhook' AND x.enabled;
     IF NOT FOUND THEN
       UPDATE recovery SET state = 'stopped', finished_at = now() WHERE id = job.id;
       RETURN 0;
     END IF;
     WITH target AS MATERIALIZED (SELECT job.destination_id AS id), polled_at AS MATERIALIZED (
       SELECT position, payment_id, type, time FROM event
       WHERE position > job.cursor_position AND position <= job.until_position ORDER BY position LIMIT to_poll
     ), missed AS (
       SELECT l.position, l.payment_id FROM polled_at l CROSS JOIN target t
       WHERE l.time >= job.since AND (wanted = '{}' OR l.type = ANY (wanted)) AND NOT EXISTS (
         SELECT 1 FROM delivery d
         WHERE d.event_position = l.position AND d.destination_id = t.id AND d.state = 'delivered')
       ORDER BY l.position LIMIT to_replay
     )
     SELECT array_agg(m.position), array_agg(DISTINCT m.payment_id),
       CASE WHEN count(*) = to_replay THEN max(m.position)
         ELSE coalesce((SELECT max(l.position) FROM polled_at l), job.until_position) END
     INTO positions, payments, reached FROM missed m;
     IF positions IS NOT NULL THEN
       recovered := replay_events(job.destination_id, positions, payments);
       -- Whoever asks for a recovery says that the endpoint answers again. Not before: while all that it is owed is locked
       -- here, the right to the probe would be given for nothing.
       UPDATE endpoint_circuit SET probe_at = now()
       WHERE destination_id = job.destination_id AND state = 'open' AND job.done = 0;
     END IF;
     UPDATE recovery
     SET cursor_position = reached, done = done + recovered, event_count = greatest(event_count, done + recovered),
       state = CASE WHEN reached < until_position THEN 'running' ELSE 'done' END,
       finished_at = CASE WHEN reached >= until_position THEN clock_timestamp() END
     WHERE id = job.id;
     RETURN recovered;
   END $$`,
];

const DOWN = [
  `DROP FUNCTION work_off_replay`,
  `DROP FUNCTION replay_events`,
  `DROP FUNCTION missed_events`,
  `DROP INDEX delivery_event`,
  `CREATE INDEX delivery_event ON delivery (event_position)`,
  `DROP INDEX event_time`,
  `DROP TABLE recovery`,
];

export class Replay1779000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
