import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The types that tables and functions use. Enums sort in the order of their words. */
const TYPES = [
  // How urgent the next poll of a payment is, the most urgent first: see domain/polling/urgency.ts.
  `CREATE TYPE poll_urgency AS ENUM ('in_flight', 'attended', 'unattended', 'watching')`,
  // Of a pending delivery: it waits behind the head, is the head, or failed for so long that the lane goes on without it.
  `CREATE TYPE lane_state AS ENUM ('waiting', 'head', 'released')`,
  // What record_polls is given: one poll result, with the payment as it stands after it.
  `CREATE TYPE event_record AS (id uuid, sequence integer, type text, body text)`,
  `CREATE TYPE poll_record AS (
     payment_id bigint,
     token bigint,
     in_ms integer,
     urgency poll_urgency,
     is_silent boolean,
     is_charged boolean,
     poll_by timestamptz,
     unchanged_until timestamptz,
     is_change boolean,
     is_final boolean,
     base_sequence integer,
     sequence integer,
     status text,
     late boolean,
     tracking text,
     expires_at timestamptz,
     progress_at timestamptz,
     ended_at timestamptz,
     part_digests text,
     report_digest text,
     stalls text[],
     contradictions text[],
     report text,
     events event_record[]
   )`,
];

/** Reports, quotes and event bodies stand apart from the rows that change often: an update copies its whole row. */
const PAYMENTS = [
  `CREATE TABLE payment (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     quote_id text NOT NULL UNIQUE,
     order_id text,
     metadata text,
     status text NOT NULL,
     late boolean NOT NULL,
     sequence integer NOT NULL,
     tracking text NOT NULL,
     created_at timestamptz NOT NULL,
     expires_at timestamptz,
     updated_at timestamptz NOT NULL,
     progress_at timestamptz NOT NULL,
     ended_at timestamptz,
     last_polled_at timestamptz,
     part_digests text NOT NULL,
     report_digest text NOT NULL,
     stalls text[] NOT NULL,
     contradictions text[] NOT NULL,
     expected_ms integer
   ) WITH (fillfactor = 80)`,
  `CREATE INDEX payment_by_status ON payment (status, id DESC)`,
  `CREATE INDEX payment_by_order ON payment (order_id, id DESC) WHERE order_id IS NOT NULL`,
  `CREATE INDEX payment_by_creation ON payment (created_at)`,
  `CREATE INDEX payment_closed ON payment (updated_at) WHERE tracking = 'closed'`,
  `COMMENT ON COLUMN payment.sequence IS 'The number of the newest event: 1, 2, 3, … without gaps.'`,
  `COMMENT ON COLUMN payment.part_digests IS 'Digests of the report''s parts and of the deposit address, and when noise was last told: deposit|gas|execution|error|address|ms.'`,
  `CREATE TABLE payment_quote (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     body text NOT NULL
   )`,
  `CREATE TABLE payment_report (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     body text NOT NULL,
     reported_at timestamptz NOT NULL
   )`,
  `CREATE TABLE removed_payment (
     quote_uuid uuid,
     quote_text text COLLATE "C",
     CHECK (num_nonnulls(quote_uuid, quote_text) = 1)
   )`,
  `CREATE UNIQUE INDEX removed_payment_uuid ON removed_payment (quote_uuid) WHERE quote_uuid IS NOT NULL`,
  `CREATE UNIQUE INDEX removed_payment_text ON removed_payment (quote_text) WHERE quote_text IS NOT NULL`,
  `COMMENT ON TABLE removed_payment IS
     'The quote ids of removed payments, kept for ever: a UUID as its 16 bytes, any other id as its text.'`,
  // A trigger, so that the id is also kept when another release or a person deletes the payment.
  // The body of its function is functions/keep_removed_payments.sql, which is applied right after the migrations.
  `CREATE FUNCTION keep_removed_payments() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
  `CREATE TRIGGER payment_removed AFTER DELETE ON payment REFERENCING OLD TABLE AS removed
     FOR EACH STATEMENT EXECUTE FUNCTION keep_removed_payments()`,
  `CREATE TABLE idempotency (
     scope text NOT NULL,
     key text NOT NULL,
     body_hash text NOT NULL,
     token uuid NOT NULL,
     held_until timestamptz NOT NULL,
     quote_id text,
     created_at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (scope, key)
   )`,
  `CREATE INDEX idempotency_age ON idempotency (created_at)`,
  `CREATE TABLE api_key (
     name text PRIMARY KEY,
     hash text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
];

/** The schedule is a narrow table: it is written at each poll. */
const POLLING = [
  `CREATE TABLE payment_schedule (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     due_at timestamptz NOT NULL,
     interval_ms integer NOT NULL,
     urgency poll_urgency NOT NULL,
     token bigint NOT NULL DEFAULT 0,
     polled_at timestamptz,
     answered_at timestamptz,
     silent_since timestamptz,
     failures smallint NOT NULL DEFAULT 0,
     hinted_at timestamptz,
     poll_by timestamptz,
     quote_id text NOT NULL,
     report_digest text NOT NULL,
     unchanged_until timestamptz,
     noticed_at timestamptz
   ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`,
  `CREATE INDEX payment_schedule_due ON payment_schedule (urgency, due_at)`,
  `COMMENT ON TABLE payment_schedule IS 'When each open payment is polled next. A closed payment has no row.'`,
  `COMMENT ON COLUMN payment_schedule.token IS 'Fencing token: a poll result counts only while its claim''s token stands.'`,
  `COMMENT ON COLUMN payment_schedule.poll_by IS 'When the payment is polled however long its interval has become.'`,
  `COMMENT ON COLUMN payment_schedule.unchanged_until IS
     'Until then an answer with the stored report_digest changes nothing and is not judged.'`,
  `COMMENT ON COLUMN payment_schedule.hinted_at IS 'When a client last asked for the payment.'`,
  `COMMENT ON COLUMN payment_schedule.noticed_at IS 'When the provider last reported news about the payment by itself.'`,
  `CREATE TABLE provider_rate_limit (
     id smallint PRIMARY KEY,
     tokens double precision NOT NULL DEFAULT 0,
     urgent double precision NOT NULL DEFAULT 0,
     refilled_at double precision NOT NULL DEFAULT 0,
     slowed_to double precision,
     slowed_from double precision,
     slowed_at double precision,
     slowed_cause text,
     paused_until double precision NOT NULL DEFAULT 0,
     circuit text NOT NULL DEFAULT 'closed',
     probe_at double precision NOT NULL DEFAULT 0,
     probe_wait_ms double precision NOT NULL DEFAULT 0,
     caller_states jsonb NOT NULL DEFAULT '[]'
   ) WITH (fillfactor = 20)`,
  `INSERT INTO provider_rate_limit (id) VALUES (1)`,
  `COMMENT ON TABLE provider_rate_limit IS
     'One row: the token bucket that all replicas share, and the provider''s circuit. Times are milliseconds since 1970.'`,
  `COMMENT ON COLUMN provider_rate_limit.caller_states IS
     'Who of the callers that need requests beside the polls is next. The row''s lock guards it.'`,
  `CREATE TABLE interval_scale (
     urgency poll_urgency PRIMARY KEY,
     factor double precision NOT NULL DEFAULT 1,
     up_to_ms double precision NOT NULL DEFAULT 0
   ) WITH (fillfactor = 20)`,
  `INSERT INTO interval_scale (urgency) SELECT unnest(enum_range(NULL::poll_urgency))`,
  // Autovacuum never analyzes four rows; without statistics, plans expect a thousand.
  `ANALYZE interval_scale`,
  `COMMENT ON TABLE interval_scale IS
     'By how much polling intervals are longer while the rate limit is short: see functions/scaled_interval.sql.'`,
  `CREATE TABLE quote_window (
     id smallint PRIMARY KEY,
     taken_at double precision[] NOT NULL DEFAULT '{}',
     paused_until double precision NOT NULL DEFAULT 0
   ) WITH (fillfactor = 20)`,
  `INSERT INTO quote_window (id) VALUES (1)`,
  `COMMENT ON TABLE quote_window IS
     'One row: the quotes of the last minute, for a provider that limits them apart from status requests.'`,
];

/**
 * The log's order is the transaction that wrote an event, then its position. Every event that is ranked below the oldest
 * running transaction is committed; positions alone are given before the commit, and commits come in any order.
 */
const EVENTS = [
  // Not in functions/: continue_log() adds to it what this server needs to go on after a restored log.
  `CREATE FUNCTION log_rank_of(transaction_id xid8) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
     SELECT transaction_id::text::bigint
   $$`,
  `CREATE TABLE event (
     position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id uuid NOT NULL UNIQUE,
     payment_id bigint NOT NULL REFERENCES payment ON DELETE CASCADE,
     sequence integer NOT NULL,
     type text NOT NULL,
     time timestamptz NOT NULL,
     body text NOT NULL,
     log_rank bigint NOT NULL DEFAULT log_rank_of(pg_current_xact_id()),
     UNIQUE (payment_id, sequence)
   )`,
  `CREATE INDEX event_log ON event (log_rank, position)`,
  `CREATE INDEX event_time ON event USING brin (time) WITH (autosummarize = on)`,
  `COMMENT ON COLUMN event.log_rank IS 'The transaction that wrote the event: (log_rank, position) is the order of the log.'`,
];

const DELIVERIES = [
  `CREATE TABLE destination (
     id uuid PRIMARY KEY,
     kind text NOT NULL,
     enabled boolean NOT NULL,
     url text,
     event_types text[] NOT NULL DEFAULT '{}',
     description text,
     secrets text,
     disabled_reason text,
     created_at timestamptz NOT NULL DEFAULT now(),
     signature text NOT NULL DEFAULT 'v1',
     public_key text,
     delivered_at timestamptz
   )`,
  // A kind with one target, such as RabbitMQ's exchange, has one row, found by its kind. An endpoint has a URL.
  `CREATE UNIQUE INDEX destination_single ON destination (kind) WHERE url IS NULL`,
  `COMMENT ON COLUMN destination.delivered_at IS 'When it last took an event, a few seconds out of date.'`,
  `CREATE TABLE delivery (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     destination_id uuid NOT NULL,
     payment_id bigint NOT NULL,
     event_position bigint NOT NULL,
     sequence integer NOT NULL,
     state text NOT NULL DEFAULT 'pending',
     lane_state lane_state NOT NULL,
     due_at timestamptz,
     leased boolean NOT NULL DEFAULT false,
     token bigint NOT NULL DEFAULT 0,
     attempts integer NOT NULL DEFAULT 0,
     retries integer NOT NULL DEFAULT 0,
     first_attempt_at timestamptz,
     last_attempt_at timestamptz,
     last_failure text,
     last_http_status smallint,
     created_at timestamptz NOT NULL DEFAULT now(),
     resume_at timestamptz
   ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)`,
  `CREATE INDEX delivery_due ON delivery (destination_id, due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX delivery_lane ON delivery (payment_id, destination_id, sequence) WHERE state = 'pending'`,
  // Whether one destination has an event, without reading the event's deliveries to all the others.
  `CREATE INDEX delivery_event ON delivery (event_position, destination_id)`,
  `CREATE INDEX delivery_listed ON delivery (destination_id, state, id)`,
  `COMMENT ON COLUMN delivery.due_at IS 'Set for the head of its lane and for released deliveries: a claim is one index scan.'`,
  `COMMENT ON COLUMN delivery.resume_at IS 'When a delivery that is tried early, as a probe, would have been due.'`,
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
     probe_at timestamptz,
     opened_at timestamptz,
     recovered_at timestamptz
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE event_replay (
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
  `CREATE INDEX event_replay_running ON event_replay (id) WHERE state = 'running'`,
  `CREATE INDEX event_replay_listed ON event_replay (destination_id, created_at DESC, id DESC)`,
  `COMMENT ON TABLE event_replay IS 'Jobs that send again what an endpoint has not acknowledged, worked off in batches.'`,
];

/** What providers keep of their own quotes. */
const PROVIDERS = [
  `CREATE TABLE sandbox_payment (
     quote_id text PRIMARY KEY,
     quote text NOT NULL,
     story text NOT NULL,
     speed double precision NOT NULL,
     created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL,
     deposited_at timestamptz,
     reported_stages jsonb
   )`,
  `COMMENT ON COLUMN sandbox_payment.reported_stages IS
     'When each stage of the story was first answered; null: the story goes by time alone.'`,
  `CREATE TABLE relay_quote (
     quote_id text PRIMARY KEY,
     request_id text NOT NULL UNIQUE,
     deposit_address text NOT NULL,
     address_key text NOT NULL,
     chain_id bigint NOT NULL,
     data text NOT NULL,
     created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL
   )`,
  // One address may be used on several chains of a kind.
  `CREATE UNIQUE INDEX relay_quote_address ON relay_quote (address_key, chain_id)`,
  `CREATE TABLE relay_reconcile (
     id smallint PRIMARY KEY CHECK (id = 1),
     reconciled_to timestamptz,
     next_at timestamptz NOT NULL
   )`,
  `INSERT INTO relay_reconcile (id, reconciled_to, next_at) VALUES (1, NULL, now())`,
  `COMMENT ON TABLE relay_reconcile IS
     'One row: how far Relay''s list of changes was read. One replica at a time claims it by next_at.'`,
];

/** Written by apply-functions.ts. */
const FUNCTIONS = [
  `CREATE TABLE paybell_function (
     name text PRIMARY KEY,
     checksum text NOT NULL,
     release text NOT NULL
   )`,
  `COMMENT ON TABLE paybell_function IS
     'The applied texts of database/functions, each with the newest release that has it.'`,
];

const DOWN = [
  `DROP TABLE paybell_function, relay_reconcile, relay_quote, sandbox_payment, event_replay, endpoint_circuit, attempt,
     delivery, destination, event, quote_window, interval_scale, provider_rate_limit, payment_schedule, api_key,
     idempotency, removed_payment, payment_report, payment_quote, payment`,
  // The functions of database/functions too, whichever release has applied them.
  `DO $$
   DECLARE
     made regprocedure;
   BEGIN
     FOR made IN
       SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
     LOOP
       EXECUTE format('DROP FUNCTION %s', made);
     END LOOP;
   END $$`,
  `DROP TYPE poll_record, event_record, lane_state, poll_urgency`,
];

/** The schema of release 0.1.0. */
export class InitialSchema1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const groups = [TYPES, PAYMENTS, POLLING, EVENTS, DELIVERIES, PROVIDERS, FUNCTIONS];
    for (const statement of groups.flat()) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
