import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reports, quotes and event bodies stand apart from the rows that change often: an update copies its whole row. */
const STATEMENTS = [
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
     marks text NOT NULL,
     report_digest text NOT NULL,
     stalls text[] NOT NULL,
     contradictions text[] NOT NULL
   ) WITH (fillfactor = 80)`,
  `CREATE INDEX payment_by_status ON payment (status, id DESC)`,
  `CREATE INDEX payment_by_order ON payment (order_id, id DESC) WHERE order_id IS NOT NULL`,
  `CREATE INDEX payment_by_creation ON payment (created_at)`,
  `CREATE INDEX payment_closed ON payment (updated_at) WHERE tracking = 'closed'`,
  `CREATE TABLE payment_quote (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     body text NOT NULL
   )`,
  `CREATE TABLE payment_report (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     body text NOT NULL,
     reported_at timestamptz NOT NULL
   )`,
  `CREATE TABLE payment_schedule (
     payment_id bigint PRIMARY KEY REFERENCES payment ON DELETE CASCADE,
     due_at timestamptz NOT NULL,
     interval_ms integer NOT NULL,
     urgency smallint NOT NULL,
     token bigint NOT NULL DEFAULT 0,
     polled_at timestamptz,
     answered_at timestamptz,
     silent_since timestamptz,
     failures smallint NOT NULL DEFAULT 0
   ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`,
  `CREATE INDEX payment_schedule_due ON payment_schedule (due_at)`,
  `CREATE TABLE event (
     position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id uuid NOT NULL UNIQUE,
     payment_id bigint NOT NULL REFERENCES payment ON DELETE CASCADE,
     sequence integer NOT NULL,
     type text NOT NULL,
     time timestamptz NOT NULL,
     body text NOT NULL,
     UNIQUE (payment_id, sequence)
   )`,
  `CREATE TABLE destination (
     id uuid PRIMARY KEY,
     kind text NOT NULL,
     enabled boolean NOT NULL,
     url text,
     event_types text[] NOT NULL DEFAULT '{}',
     description text,
     secrets text,
     disabled_reason text,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE TABLE delivery (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     destination_id uuid NOT NULL,
     payment_id bigint NOT NULL,
     event_position bigint NOT NULL,
     sequence integer NOT NULL,
     state text NOT NULL DEFAULT 'pending',
     lane smallint NOT NULL,
     due_at timestamptz,
     leased boolean NOT NULL DEFAULT false,
     token bigint NOT NULL DEFAULT 0,
     attempts integer NOT NULL DEFAULT 0,
     retries integer NOT NULL DEFAULT 0,
     first_attempt_at timestamptz,
     last_attempt_at timestamptz,
     last_failure text,
     last_http_status smallint,
     created_at timestamptz NOT NULL DEFAULT now()
   ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)`,
  `CREATE INDEX delivery_due ON delivery (destination_id, due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX delivery_lane ON delivery (payment_id, destination_id, sequence) WHERE state = 'pending'`,
  `CREATE INDEX delivery_event ON delivery (event_position)`,
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
  `CREATE TABLE provider_budget (
     id smallint PRIMARY KEY,
     available double precision NOT NULL,
     refilled_at timestamptz NOT NULL
   )`,
  `INSERT INTO provider_budget VALUES (1, 0, now())`,
  `CREATE TABLE sandbox_payment (
     quote_id text PRIMARY KEY,
     quote text NOT NULL,
     story text NOT NULL,
     speed double precision NOT NULL,
     created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL,
     deposited_at timestamptz
   )`,
];

export class First1779000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE sandbox_payment, provider_budget, api_key, idempotency, delivery, destination,
      event, payment_schedule, payment_report, payment_quote, payment`);
  }
}
