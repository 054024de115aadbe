import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The types that tables and functions use. Enums sort in the order in which their values are declared. */
const TYPES = [
  // The urgency of a payment's next poll, the most urgent first: see domain/polling/urgency.ts.
  `CREATE TYPE poll_urgency AS ENUM ('in_flight', 'attended', 'unattended', 'watching')`,
  // The state of a pending delivery: it waits behind the head, is the head, or has failed for so long that the lane goes on
  // without it.
  `CREATE TYPE lane_state AS ENUM ('waiting', 'head', 'released')`,
  `CREATE TYPE event_record AS (id uuid, sequence integer, type text, body text, in_order boolean)`,
  // The parameter of record_polls: one poll result, with the payment's new state.
  `CREATE TYPE poll_record AS (
     payment_id bigint,
     token bigint,
     in_ms integer,
     gap_ms integer,
     asked_ago_ms double precision,
     urgency poll_urgency,
     is_silent boolean,
     is_charged boolean,
     poll_by timestamptz,
     unchanged_until timestamptz,
     is_change boolean,
     is_final boolean,
     base_sequence integer,
     sequence integer,
     epoch integer,
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
     match text,
     report text,
     events event_record[]
   )`,
  // The parameter of add_payments: a payment with everything that is stored with it.
  `CREATE TYPE new_payment AS (
     quote_id text,
     provider text,
     order_id text,
     order_fold text,
     metadata text,
     status text,
     late boolean,
     sequence integer,
     epoch integer,
     tracking text,
     created_at timestamptz,
     expires_at timestamptz,
     progress_at timestamptz,
     ended_at timestamptz,
     part_digests text,
     report_digest text,
     stalls text[],
     contradictions text[],
     expected_ms integer,
     traceparent text,
     match text,
     quote text,
     report text,
     in_ms integer,
     gap_ms integer,
     urgency poll_urgency,
     spread double precision,
     polled_at timestamptz,
     poll_by timestamptz,
     claim_scope text,
     claim_key text,
     claim_token uuid,
     attempt_id bigint,
     events event_record[]
   )`,
  `CREATE TYPE figure_length AS ENUM ('minute', 'hour')`,
];

/**
 * The log's order is the transaction that wrote an event, then the event's position. Every event ranked below the oldest
 * running transaction is committed. Positions alone would not do: an event gets its position before its commit, and commits
 * come in any order.
 */
const HISTORY = [
  // This function is not in functions/: continue_log() adds the offset that this server needs after a restored log.
  `CREATE FUNCTION log_rank_of(transaction_id xid8) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
     SELECT transaction_id::text::bigint
   $$`,
  `CREATE TABLE database_history (
     number integer PRIMARY KEY,
     system_identifier bigint,
     timeline text,
     epoch integer NOT NULL,
     log_offset bigint NOT NULL,
     resume_rank bigint NOT NULL DEFAULT 0,
     resume_at timestamptz,
     due_after bigint,
     cause text NOT NULL,
     began_at timestamptz NOT NULL DEFAULT now()
   )`,
  `COMMENT ON TABLE database_history IS
     'A row each time the database came to another server or went back; the last one holds now.'`,
  `COMMENT ON COLUMN database_history.epoch IS
     'Counts how often the database went back: 0, or the minutes from 2026 to then, so that no copy gives a number again.'`,
  `COMMENT ON COLUMN database_history.log_offset IS 'Added to a transaction''s id, it makes the rank of its events.'`,
  `COMMENT ON COLUMN database_history.resume_rank IS
     'After an epoch began: where in the log a reader goes on whose last event was lost, if it is not older than resume_at.'`,
  `COMMENT ON COLUMN database_history.due_after IS
     'After an epoch began: up to which payment the open ones were made due; null once all are.'`,
  `INSERT INTO database_history (number, epoch, log_offset, cause) VALUES (1, 0, log_rank_of('0'::xid8), 'created')`,
  `CREATE TABLE replica (
     id uuid PRIMARY KEY,
     beat bigint NOT NULL,
     seen_at timestamptz NOT NULL,
     confirmed text,
     is_replicated boolean NOT NULL DEFAULT false
   ) WITH (fillfactor = 50)`,
  `COMMENT ON TABLE replica IS
     'The running processes: what each is known to have committed lets them judge what a failover has lost.'`,
  `COMMENT ON COLUMN replica.confirmed IS 'The server on which the process found all that it had committed.'`,
  `COMMENT ON COLUMN replica.is_replicated IS 'Whether its last beat, as all its commits, waited for a synchronous standby.'`,
  // The current text is functions/log_epoch.sql, which is applied right after the migrations.
  `CREATE FUNCTION log_epoch() RETURNS integer LANGUAGE sql STABLE AS $$
     SELECT epoch FROM database_history ORDER BY number DESC LIMIT 1
   $$`,
];

/** Reports, quotes and event bodies have tables of their own: an update of a row that changes often would copy them. */
const PAYMENTS = [
  `CREATE TABLE payment (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     quote_id text NOT NULL UNIQUE,
     provider text NOT NULL,
     order_id text,
     order_fold text,
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
     expected_ms integer,
     epoch integer NOT NULL DEFAULT log_epoch(),
     resolution text,
     traceparent text,
     match text,
     paid_again boolean NOT NULL DEFAULT false
   ) WITH (fillfactor = 80)`,
  `CREATE INDEX payment_by_creation ON payment (created_at)`,
  `CREATE INDEX payment_closed ON payment (updated_at) WHERE tracking = 'closed'`,
  `COMMENT ON COLUMN payment.provider IS 'The name of the provider that made its quote, for ever.'`,
  `COMMENT ON COLUMN payment.order_fold IS
     'The order id in one case of letters; null where lower(order_id COLLATE "C") is the same.'`,
  `COMMENT ON COLUMN payment.sequence IS 'The number of the newest event: 1, 2, 3, … without gaps.'`,
  `COMMENT ON COLUMN payment.part_digests IS 'Digests of the report''s parts and of the deposit address, and when noise was last told: deposit|gas|execution|error|address|ms|deposit times|execution times.'`,
  `COMMENT ON COLUMN payment.epoch IS
     'The epoch of its newest event. In a later one, the next event takes a number that no lost event can have.'`,
  `COMMENT ON COLUMN payment.resolution IS 'JSON: how a person has settled the payment; null once its status has changed.'`,
  `COMMENT ON COLUMN payment.traceparent IS
     'The W3C trace context of the quote; null: it was made without tracing.'`,
  `COMMENT ON COLUMN payment.match IS 'How the deposit compares with the sum that was asked for; null before the deposit.'`,
  `COMMENT ON COLUMN payment.paid_again IS
     'It completed, or got its order, when another payment of the order had completed: written by name_others.'`,
  `CREATE TABLE payment_quote (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     body text NOT NULL
   )`,
  `CREATE TABLE payment_text (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     body text,
     reported_at timestamptz,
     texts text[]
   )`,
  // Values are compressed from 2 kB on and stay in the row.
  `ALTER TABLE payment_text ALTER COLUMN texts SET STORAGE MAIN`,
  `COMMENT ON TABLE payment_text IS 'The newest report of a payment and the bodies of its events: together they compress to a fourth.'`,
  `COMMENT ON COLUMN payment_text.texts IS 'The report, then bodies of events: written by keep_texts, and only ever added to.'`,
  `COMMENT ON COLUMN payment_text.body IS 'A report that is too long for texts.'`,
  `CREATE VIEW payment_report AS
     SELECT payment_id, coalesce(body, texts[1]) AS body, reported_at FROM payment_text WHERE reported_at IS NOT NULL`,
  `COMMENT ON VIEW payment_report IS 'The newest report of each payment that has one.'`,
  `CREATE TABLE removed_payment (
     quote_uuid uuid,
     quote_text text COLLATE "C",
     CHECK (num_nonnulls(quote_uuid, quote_text) = 1)
   )`,
  `CREATE UNIQUE INDEX removed_payment_uuid ON removed_payment (quote_uuid) WHERE quote_uuid IS NOT NULL`,
  `CREATE UNIQUE INDEX removed_payment_text ON removed_payment (quote_text) WHERE quote_text IS NOT NULL`,
  `COMMENT ON TABLE removed_payment IS
     'The quote ids of removed payments, kept for ever: a UUID as its 16 bytes, any other id as its text.'`,
  // A trigger keeps the id even when another release or a person deletes the payment. The function's text is
  // functions/keep_removed_payments.sql, which is applied right after the migrations.
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
];

/** The schedule is a narrow table because each poll writes it. */
const POLLING = [
  `CREATE TABLE payment_schedule (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     provider text NOT NULL,
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
  `CREATE INDEX payment_schedule_due ON payment_schedule (provider, urgency, due_at)`,
  `COMMENT ON TABLE payment_schedule IS 'When each open payment is polled next. A closed payment has no row.'`,
  `COMMENT ON COLUMN payment_schedule.token IS 'Fencing token: a poll result counts only while its claim''s token stands.'`,
  `COMMENT ON COLUMN payment_schedule.poll_by IS 'When the payment is polled however long its interval has become.'`,
  `COMMENT ON COLUMN payment_schedule.unchanged_until IS
     'Until then an answer with the stored report_digest changes nothing and is not judged.'`,
  `COMMENT ON COLUMN payment_schedule.hinted_at IS 'When a client last asked for the payment.'`,
  `COMMENT ON COLUMN payment_schedule.noticed_at IS 'When the provider last reported news about the payment by itself.'`,
  `CREATE TABLE provider_rate_limit (
     provider text PRIMARY KEY,
     tokens double precision NOT NULL DEFAULT 0,
     urgent double precision NOT NULL DEFAULT 0,
     refilled_at double precision NOT NULL DEFAULT 0,
     slowed_to double precision,
     slowed_from double precision,
     slowed_at double precision,
     paused_until double precision NOT NULL DEFAULT 0,
     circuit text NOT NULL DEFAULT 'closed',
     circuit_since timestamptz,
     probe_at double precision NOT NULL DEFAULT 0,
     probe_wait_ms double precision NOT NULL DEFAULT 0
   ) WITH (fillfactor = 20)`,
  `COMMENT ON TABLE provider_rate_limit IS
     'A row for each provider: the token bucket that all replicas share, and the circuit. Times are milliseconds since 1970.'`,
  `COMMENT ON COLUMN provider_rate_limit.circuit_since IS 'When the circuit came to its state; null: it never changed.'`,
  `CREATE TABLE interval_scale (
     provider text NOT NULL,
     urgency poll_urgency NOT NULL,
     factor double precision NOT NULL DEFAULT 1,
     up_to_ms double precision NOT NULL DEFAULT 0,
     PRIMARY KEY (provider, urgency)
   ) WITH (fillfactor = 20)`,
  `COMMENT ON TABLE interval_scale IS
     'By how much a provider''s polling intervals are longer while its rate limit is short: see functions/scaled_interval.sql.'`,
  `CREATE TABLE quote_window (
     provider text PRIMARY KEY,
     taken_at double precision[] NOT NULL DEFAULT '{}',
     paused_until double precision NOT NULL DEFAULT 0
   ) WITH (fillfactor = 20)`,
  `COMMENT ON TABLE quote_window IS
     'A row for each provider: its quotes of the last minute, where it limits them apart from status requests.'`,
];

/** Rows exist only where VERIFY is on, and are removed with their payment. */
const PROOF = [
  `CREATE TABLE payment_proof (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     state text NOT NULL DEFAULT 'pending',
     report_digest text NOT NULL,
     began_at timestamptz NOT NULL DEFAULT now(),
     decided_at timestamptz,
     due_at timestamptz DEFAULT now(),
     leased_until timestamptz,
     token bigint NOT NULL DEFAULT 0,
     inspections integer NOT NULL DEFAULT 0,
     proven_by text,
     verification text,
     seen_inputs text,
     lost_to text
   ) WITH (fillfactor = 70)`,
  `CREATE INDEX payment_proof_due ON payment_proof (due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX payment_proof_begun ON payment_proof (began_at)`,
  `CREATE INDEX payment_proof_doubtful ON payment_proof (state, payment_id) WHERE state IN ('contradicted', 'unverified')`,
  `COMMENT ON TABLE payment_proof IS 'What the chain shows of the outputs that providers reported as COMPLETED.'`,
  `COMMENT ON COLUMN payment_proof.report_digest IS 'Of the report that says COMPLETED: as long as the payment has it, and another status, its completion is withheld.'`,
  `COMMENT ON COLUMN payment_proof.due_at IS 'When the witness inspects next, or the lease of its inspection ends; null: it inspects no more.'`,
  `COMMENT ON COLUMN payment_proof.leased_until IS 'When the lease of an inspection ends that is under way; null: none is.'`,
  `COMMENT ON COLUMN payment_proof.token IS 'Fencing token: an inspection counts only while its claim''s token stands.'`,
  `COMMENT ON COLUMN payment_proof.proven_by IS 'JSON: the transfer that has proven it.'`,
  `COMMENT ON COLUMN payment_proof.verification IS 'JSON: what data.verification says.'`,
  `COMMENT ON COLUMN payment_proof.seen_inputs IS 'JSON: what transactions spend that were seen in no final block; null: none, or the chain is not one of outputs.'`,
  `COMMENT ON COLUMN payment_proof.lost_to IS 'The quote id of the payment that its proof was given to, until that is told.'`,
  `CREATE TABLE proven_output (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     chain_id bigint NOT NULL,
     tx_hash text NOT NULL,
     ordinal integer NOT NULL,
     block_hash text NOT NULL,
     recipient text NOT NULL,
     token text NOT NULL,
     taken numeric NOT NULL,
     is_named boolean NOT NULL,
     reserved_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE UNIQUE INDEX proven_output_transfer ON proven_output (chain_id, tx_hash, recipient, token, ordinal) WHERE ordinal > -2`,
  `CREATE INDEX proven_output_of_block ON proven_output (chain_id, block_hash) WHERE ordinal = -2`,
  `CREATE INDEX proven_output_of_contracts ON proven_output (chain_id, tx_hash) WHERE ordinal = -2`,
  `CREATE INDEX proven_output_recipient ON proven_output (chain_id, recipient, token, reserved_at)`,
  `COMMENT ON TABLE proven_output IS 'Each transfer proves one payment, and payments together take no more than arrived.'`,
  `COMMENT ON COLUMN proven_output.ordinal IS 'Among the transfers of the token to the recipient in its transaction, from 0: a log''s index is another one when it is mined again. -1: the native coin; -2: the coin that contracts brought in its block, of which several payments may take a part.'`,
  `COMMENT ON COLUMN proven_output.token IS 'The contract; empty: the native coin.'`,
  `COMMENT ON COLUMN proven_output.taken IS 'What the payment was promised of it, in the smallest unit.'`,
  `COMMENT ON COLUMN proven_output.is_named IS
     'The provider names the transaction. One that was only found by a search is given to a payment that names it.'`,
  `CREATE TABLE deposit_watch (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     due_at timestamptz NOT NULL,
     ends_at timestamptz NOT NULL,
     token bigint NOT NULL DEFAULT 0,
     inspections integer NOT NULL DEFAULT 0,
     tx_hashes text[] NOT NULL DEFAULT '{}',
     seen text
   ) WITH (fillfactor = 70)`,
  `CREATE INDEX deposit_watch_due ON deposit_watch (due_at)`,
  `COMMENT ON TABLE deposit_watch IS 'Unpaid payments whose deposit address the witness inspects around their expiry.'`,
  `COMMENT ON COLUMN deposit_watch.tx_hashes IS 'Transactions that a payer passed on.'`,
  `COMMENT ON COLUMN deposit_watch.seen IS 'JSON: the deposits as the chain has them, and when each was first found; null: none in a final block.'`,
];

/** An event's body is among its payment's texts, or in the event's row where it does not fit there. */
const EVENTS = [
  `CREATE TABLE event_entry (
     position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id uuid NOT NULL UNIQUE,
     payment_id bigint NOT NULL REFERENCES payment ON DELETE CASCADE,
     sequence integer NOT NULL,
     type text NOT NULL,
     time timestamptz NOT NULL,
     body text,
     log_rank bigint NOT NULL DEFAULT log_rank_of(pg_current_xact_id()),
     slot smallint,
     UNIQUE (payment_id, sequence),
     CONSTRAINT event_has_body CHECK (num_nonnulls(body, slot) = 1)
   )`,
  `CREATE INDEX event_log ON event_entry (log_rank, position)`,
  `COMMENT ON COLUMN event_entry.log_rank IS
     'The transaction that wrote the event: (log_rank, position) is the order of the log.'`,
  `COMMENT ON COLUMN event_entry.slot IS 'Which of the payment''s texts is the body.'`,
  `COMMENT ON COLUMN event_entry.body IS 'A body that does not fit into the payment''s texts.'`,
  `CREATE VIEW event AS
     SELECT e.position, e.id, e.payment_id, e.sequence, e.type, e.time,
       coalesce(e.body, (SELECT t.texts[e.slot] FROM payment_text t WHERE t.payment_id = e.payment_id)) AS body, e.log_rank
     FROM event_entry e`,
  `COMMENT ON VIEW event IS 'The events with their bodies.'`,
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
     delivered_at timestamptz,
     tested_at timestamptz
   )`,
  // A kind with one target, such as RabbitMQ's exchange, has one row without a URL, found by its kind. An endpoint has a URL.
  `CREATE UNIQUE INDEX destination_single ON destination (kind) WHERE url IS NULL`,
  `COMMENT ON COLUMN destination.delivered_at IS 'When it last took an event, a few seconds out of date.'`,
  `COMMENT ON COLUMN destination.tested_at IS 'When it last took a test event.'`,
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
     last_code text,
     last_http_status smallint,
     created_at timestamptz NOT NULL DEFAULT now(),
     resume_at timestamptz,
     attempt_made_at timestamptz,
     attempt_ms integer,
     attempt_address text,
     attempt_excerpt text,
     lane_due_at timestamptz,
     is_unscheduled boolean NOT NULL DEFAULT false
   ) WITH (autovacuum_vacuum_scale_factor = 0.02)`,
  `CREATE INDEX delivery_due ON delivery (destination_id, due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX delivery_lane ON delivery (payment_id, destination_id, sequence) WHERE state = 'pending'`,
  // Finds whether one destination has an event, without reading the event's deliveries to all others.
  `CREATE INDEX delivery_event ON delivery (event_position, destination_id)`,
  `CREATE INDEX delivery_listed ON delivery (destination_id, state, id)`,
  `COMMENT ON COLUMN delivery.due_at IS 'Set for the head of its lane and for released deliveries: a claim is one index scan.'`,
  `COMMENT ON COLUMN delivery.resume_at IS 'When a delivery that is tried early, as a probe, would have been due.'`,
  `COMMENT ON COLUMN delivery.attempt_made_at IS
     'Of the newest attempt, with last_failure, last_code and last_http_status; null where it was not kept.'`,
  `COMMENT ON COLUMN delivery.lane_due_at IS
     'When the waiting events of its lane are due, whatever became of those before them; null: none of the lane has failed.'`,
  `COMMENT ON COLUMN delivery.is_unscheduled IS
     'A person or a new event asked for its next attempt: a failure does not count against the endpoint.'`,
  `CREATE TABLE earlier_attempt (
     delivery_id bigint NOT NULL,
     number integer NOT NULL,
     made_at timestamptz NOT NULL,
     duration_ms integer NOT NULL,
     address text,
     http_status smallint,
     failure text,
     code text,
     excerpt text,
     PRIMARY KEY (delivery_id, number)
   )`,
  `COMMENT ON TABLE earlier_attempt IS 'The attempts that are not in the row of their delivery, which has the newest one.'`,
  `CREATE TABLE endpoint_circuit (
     destination_id uuid PRIMARY KEY,
     state text NOT NULL,
     failures integer NOT NULL,
     failing_since timestamptz,
     probe_at timestamptz,
     opened_at timestamptz,
     recovered_at timestamptz,
     failing_payments bigint[] NOT NULL DEFAULT '{}',
     probed_at timestamptz,
     probing_until timestamptz
   ) WITH (fillfactor = 50)`,
  `COMMENT ON COLUMN endpoint_circuit.failing_payments IS 'Of the failures in a row, up to three.'`,
  `COMMENT ON COLUMN endpoint_circuit.probing_until IS 'A probe is in flight until its outcome is noted, or until then.'`,
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
     finished_at timestamptz,
     is_exact boolean NOT NULL DEFAULT true
   )`,
  `COMMENT ON COLUMN event_replay.is_exact IS
     'False while event_count is a part of the events: there are too many to count at once.'`,
  `CREATE INDEX event_replay_running ON event_replay (id) WHERE state = 'running'`,
  `CREATE INDEX event_replay_listed ON event_replay (destination_id, created_at DESC, id DESC)`,
  `COMMENT ON TABLE event_replay IS 'Jobs that send again what an endpoint has not acknowledged, worked off in batches.'`,
];

/** Operational events, which tell people that something needs them: see features/attention. */
const OPERATIONAL = [
  `CREATE TABLE attention_told (
     destination_id uuid NOT NULL REFERENCES destination ON DELETE CASCADE,
     code text NOT NULL,
     is_open boolean NOT NULL,
     opened_at timestamptz,
     closed_at timestamptz,
     PRIMARY KEY (destination_id, code)
   )`,
  `COMMENT ON TABLE attention_told IS
     'What each endpoint that asks for operational events was last told about a code of GET /api/attention.'`,
  `CREATE TABLE operational_delivery (
     event_id uuid PRIMARY KEY,
     destination_id uuid NOT NULL REFERENCES destination ON DELETE CASCADE,
     code text NOT NULL,
     body text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     due_at timestamptz NOT NULL DEFAULT now(),
     token bigint NOT NULL DEFAULT 0,
     retries integer NOT NULL DEFAULT 0
   )`,
  `CREATE INDEX operational_delivery_lane ON operational_delivery (destination_id, code, created_at)`,
  `COMMENT ON TABLE operational_delivery IS
     'Operational events on their way to an endpoint. One that was delivered or given up has no row.'`,
];

const FIGURES = [
  `CREATE TABLE figure (
     target uuid NOT NULL,
     length figure_length NOT NULL,
     at timestamptz NOT NULL,
     counts jsonb NOT NULL,
     PRIMARY KEY (target, length, at)
   ) WITH (fillfactor = 90)`,
  `CREATE INDEX figure_age ON figure (at)`,
  `COMMENT ON TABLE figure IS
     'What all replicas counted in a minute, and in an hour: a row for each destination that something happened at, and each provider.'`,
  `COMMENT ON COLUMN figure.target IS 'The destination, or the UUIDv5 of a provider''s name; all zeros: everything together.'`,
  `COMMENT ON COLUMN figure.counts IS 'How often, by name: domain/figures. Without zeros.'`,
  `CREATE TABLE replica_state (
     id uuid PRIMARY KEY,
     roles text[] NOT NULL,
     release text NOT NULL,
     started_at timestamptz NOT NULL,
     batch integer NOT NULL,
     providers jsonb NOT NULL,
     settings jsonb NOT NULL,
     troubles jsonb NOT NULL,
     rpcs jsonb NOT NULL
   ) WITH (fillfactor = 50)`,
  `COMMENT ON TABLE replica_state IS
     'What each process of the table replica says of itself every ten seconds. One that stops by itself removes its row.'`,
  `COMMENT ON COLUMN replica_state.batch IS 'The last batch of figures that it wrote: none is added twice.'`,
  `COMMENT ON COLUMN replica_state.providers IS 'What it alone knows of each provider, by name.'`,
  `COMMENT ON COLUMN replica_state.settings IS 'Fingerprints of the settings that must agree, by name.'`,
  `COMMENT ON COLUMN replica_state.troubles IS 'What keeps its events from a kind of destination, by the kind.'`,
  `COMMENT ON COLUMN replica_state.rpcs IS 'The RPCs of chains that it saw stuck, or in disagreement.'`,
];

const ACCESS = [
  `CREATE TABLE api_key (
     name text PRIMARY KEY,
     hash text NOT NULL,
     role text NOT NULL CONSTRAINT api_key_has_role CHECK (role IN ('shop', 'viewer', 'operator', 'admin')),
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE TABLE key_use (hash text PRIMARY KEY, used_at timestamptz NOT NULL, address text)`,
  `COMMENT ON TABLE key_use IS 'When each API key was last used, to a minute, and from where. Those of API_KEYS have no row of api_key.'`,
  // Losing the rows in a crash does no harm, and a flood of wrong keys writes nothing to the database's log.
  `CREATE UNLOGGED TABLE wrong_key (network text PRIMARY KEY, wrong integer NOT NULL, forgotten_at timestamptz NOT NULL)`,
  `COMMENT ON TABLE wrong_key IS 'How many wrong API keys came from each address, an IPv6 one by its network of 64 bits.'`,
  `CREATE INDEX wrong_key_forgotten ON wrong_key (forgotten_at)`,
  `CREATE TABLE audit_entry (
     position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     time timestamptz NOT NULL DEFAULT now(),
     who text NOT NULL,
     role text,
     address text,
     via text NOT NULL CHECK (via IN ('api', 'session', 'cli')),
     action text NOT NULL,
     target text,
     "values" jsonb NOT NULL,
     status smallint)`,
  `COMMENT ON TABLE audit_entry IS 'Every change by a person or a program. Only remove_audit removes entries, and withdraw_audit those of refused ones.'`,
  // Vacuum soon frees the room of withdrawn entries, however many entries there are.
  `ALTER TABLE audit_entry SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
  `COMMENT ON COLUMN audit_entry.status IS 'The result; null: the process ended before it was known.'`,
  `CREATE INDEX audit_entry_newest ON audit_entry (time, position)`,
  `CREATE INDEX audit_entry_target ON audit_entry (target, time, position)`,
  // The function's text is in functions/, which is applied right after the migrations.
  `CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
  `CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE ON audit_entry FOR EACH ROW EXECUTE FUNCTION keep_audit()`,
  `CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION keep_audit()`,
  `CREATE TABLE dashboard_session (
     id uuid PRIMARY KEY,
     token_hash text NOT NULL UNIQUE,
     key_hash text NOT NULL,
     key_name text NOT NULL,
     created_at timestamptz NOT NULL,
     last_used_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL,
     address text NOT NULL,
     user_agent text NOT NULL
   )`,
  `COMMENT ON TABLE dashboard_session IS 'Browsers that are signed in. Tokens and API keys stand here as SHA-256 in hex.'`,
  `COMMENT ON COLUMN dashboard_session.last_used_at IS 'Written at most once a minute.'`,
];

/** The tables that providers keep for their own quotes. */
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
  // The chain is part of the key: one address may be used on several chains of a kind.
  `CREATE UNIQUE INDEX relay_quote_address ON relay_quote (address_key, chain_id)`,
  `CREATE TABLE provider_quote (
     quote_id text PRIMARY KEY,
     provider text NOT NULL,
     place text NOT NULL,
     data text NOT NULL,
     created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL
   )`,
  `CREATE UNIQUE INDEX provider_quote_place ON provider_quote (provider, place)`,
  // Serves a provider that counts its recently opened quotes.
  `CREATE INDEX provider_quote_age ON provider_quote (provider, created_at)`,
  `COMMENT ON TABLE provider_quote IS
     'Quotes of providers whose API does not know our ids: data is what the adapter reads a status with.'`,
  `CREATE TABLE unanswered_quote (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     requested_at timestamptz NOT NULL DEFAULT now(),
     provider text NOT NULL,
     order_id text,
     request jsonb NOT NULL,
     reason text NOT NULL,
     quote_id text
   )`,
  `COMMENT ON TABLE unanswered_quote IS
     'Requests for quotes whose result is not known, each from before it leaves. quote_id: the quote, where its answer came after all.'`,
  `COMMENT ON COLUMN provider_quote.place IS 'The deposit address, with its memo.'`,
  `CREATE TABLE relay_reconcile (
     id smallint PRIMARY KEY CHECK (id = 1),
     reconciled_to timestamptz,
     next_at timestamptz NOT NULL
   )`,
  `INSERT INTO relay_reconcile (id, reconciled_to, next_at) VALUES (1, NULL, now())`,
  `COMMENT ON TABLE relay_reconcile IS
     'One row: how far Relay''s list of changes was read. One replica at a time claims it by next_at.'`,
];

/** apply-functions.ts writes this table. */
const FUNCTIONS = [
  `CREATE TABLE paybell_function (
     name text PRIMARY KEY,
     checksum text NOT NULL,
     release text NOT NULL
   )`,
  `COMMENT ON TABLE paybell_function IS
     'The applied texts of database/functions, each with the newest release that has it.'`,
];

/** All statements, in their order. */
export const INITIAL: readonly string[] = [
  ...TYPES,
  ...HISTORY,
  ...PAYMENTS,
  ...POLLING,
  ...PROOF,
  ...EVENTS,
  ...DELIVERIES,
  ...OPERATIONAL,
  ...FIGURES,
  ...ACCESS,
  ...PROVIDERS,
  ...FUNCTIONS,
];

/** The schema of the first release. */
export class InitialSchema1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of INITIAL) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from the first schema: drop the database.'));
  }
}
