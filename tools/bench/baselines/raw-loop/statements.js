/** The raw loop's tables and statements: a narrow schedule for the claims, and one statement for a group of changes. */

export const SCHEMA = `
  CREATE TABLE payment (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, quote_id text NOT NULL UNIQUE, status text NOT NULL,
    report text NOT NULL, updated_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE schedule (
    payment_id bigint PRIMARY KEY REFERENCES payment, quote_id text NOT NULL, status text NOT NULL, digest text NOT NULL,
    sequence int NOT NULL, due_at timestamptz NOT NULL) WITH (fillfactor = 70);
  CREATE INDEX schedule_due ON schedule (due_at);
  CREATE TABLE event (
    id uuid PRIMARY KEY, payment_id bigint NOT NULL REFERENCES payment, sequence int NOT NULL, type text NOT NULL,
    body text NOT NULL, recorded_at timestamptz NOT NULL DEFAULT now(), UNIQUE (payment_id, sequence));
  CREATE TABLE outbox (event_id uuid PRIMARY KEY, lease_until timestamptz NOT NULL);
  CREATE INDEX outbox_lease ON outbox (lease_until)`;

/** $1 quote ids, $2 statuses, $3 reports, $4 digests. The payments become due one after another within an interval of $5 ms. */
export const LOAD = `
  WITH input AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS t (quote_id, status, report, digest)),
  paid AS (INSERT INTO payment (quote_id, status, report) SELECT quote_id, status, report FROM input RETURNING id, quote_id)
  INSERT INTO schedule (payment_id, quote_id, status, digest, sequence, due_at)
  SELECT id, quote_id, status, digest, 1, now() + random() * $5 * interval '1 millisecond' FROM paid JOIN input USING (quote_id)`;

/**
 * At most $1 due payments, each due again $2 ms later: the payments of a dead process need no other trace. No payment is due
 * before $3, below which the index has only dead entries.
 */
export const CLAIM = `
  UPDATE schedule s SET due_at = CASE WHEN now() - s.due_at < $2 / 2 * interval '1 millisecond'
    THEN s.due_at + $2 * interval '1 millisecond' ELSE now() + $2 * (0.5 + 0.5 * random()) * interval '1 millisecond' END
  WHERE s.payment_id = ANY (ARRAY(
    SELECT payment_id FROM schedule WHERE due_at >= $3 AND due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING s.payment_id, s.quote_id, s.status, s.digest, s.sequence`;

export const EARLIEST_DUE = 'SELECT min(due_at)::text AS due_at FROM schedule WHERE due_at >= $1';

/**
 * A group of changes: state, event and outbox row of each in one transaction. The sequence is the fence: only one of two
 * processes that polled the same payment writes. Returns the written events, leased to this process for $8 ms.
 */
export const RECORD = `
  WITH input AS (
    SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[])
      AS t (payment_id, sequence, status, digest, report, event_id, body)
  ), moved AS (
    UPDATE schedule s SET status = i.status, digest = i.digest, sequence = i.sequence FROM input i
    WHERE s.payment_id = i.payment_id AND s.sequence = i.sequence - 1 AND i.status <> 'COMPLETED' RETURNING i.event_id
  ), ended AS (
    DELETE FROM schedule s USING input i
    WHERE s.payment_id = i.payment_id AND s.sequence = i.sequence - 1 AND i.status = 'COMPLETED' RETURNING i.event_id
  ), kept AS (
    SELECT i.* FROM input i JOIN (TABLE moved UNION ALL TABLE ended) written USING (event_id)
  ), stored AS (
    UPDATE payment p SET status = k.status, report = k.report, updated_at = now() FROM kept k WHERE p.id = k.payment_id
  ), logged AS (
    INSERT INTO event (id, payment_id, sequence, type, body)
    SELECT event_id, payment_id, sequence, 'payment.' || lower(status), body FROM kept
  )
  INSERT INTO outbox (event_id, lease_until)
  SELECT event_id, now() + $8 * interval '1 millisecond' FROM kept RETURNING event_id`;

export const SENT = 'DELETE FROM outbox WHERE event_id = ANY ($1::uuid[])';

/** Takes over from a dead process whose leases have run out: at most $1 payments, for $2 ms. */
export const TAKE_OVER = `
  UPDATE outbox SET lease_until = now() + $2 * interval '1 millisecond'
  WHERE event_id = ANY (ARRAY(
    SELECT event_id FROM outbox WHERE lease_until < now() ORDER BY lease_until LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING event_id AS id, (SELECT type FROM event WHERE id = event_id), (SELECT body FROM event WHERE id = event_id)`;
