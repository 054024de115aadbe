import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Payments are claimed by class; the budget becomes the provider's whole pace, with its circuit and the stretch. */
const UP = [
  `ALTER TABLE payment ADD COLUMN expected_ms integer`,
  `ALTER TABLE payment_schedule ADD COLUMN hinted_at timestamptz, ADD COLUMN poll_by timestamptz,
     ADD COLUMN quote_id text, ADD COLUMN mark text, ADD COLUMN unchanged_until timestamptz`,
  `UPDATE payment_schedule s SET quote_id = p.quote_id, mark = p.report_digest FROM payment p WHERE p.id = s.payment_id`,
  `ALTER TABLE payment_schedule ALTER COLUMN quote_id SET NOT NULL, ALTER COLUMN mark SET NOT NULL`,
  `UPDATE payment_schedule s SET poll_by = p.expires_at + interval '1500 milliseconds'
     FROM payment p WHERE p.id = s.payment_id AND p.status = 'AWAITING_DEPOSIT'`,
  // Awaiting payments were 1 and watched ones 2; the attended ones come in between.
  `UPDATE payment_schedule SET urgency = urgency + 1 WHERE urgency > 0`,
  `DROP INDEX payment_schedule_due`,
  `CREATE INDEX payment_schedule_due ON payment_schedule (urgency, due_at)`,
  `DROP TABLE provider_budget`,
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
     stretch double precision[] NOT NULL DEFAULT '{1,1,1,1}',
     scale_up_to_ms double precision[] NOT NULL DEFAULT '{0,0,0,0}'
   ) WITH (fillfactor = 20)`,
  `INSERT INTO provider_rate_limit (id) VALUES (1)`,
];

const DOWN = [
  `DROP TABLE provider_rate_limit`,
  `CREATE TABLE provider_budget (
     id smallint PRIMARY KEY,
     available double precision NOT NULL,
     refilled_at timestamptz NOT NULL
   )`,
  `INSERT INTO provider_budget VALUES (1, 0, now())`,
  `DROP INDEX payment_schedule_due`,
  `CREATE INDEX payment_schedule_due ON payment_schedule (due_at)`,
  `UPDATE payment_schedule SET urgency = urgency - 1 WHERE urgency > 1`,
  `ALTER TABLE payment_schedule DROP COLUMN hinted_at, DROP COLUMN poll_by, DROP COLUMN quote_id,
     DROP COLUMN mark, DROP COLUMN unchanged_until`,
  `ALTER TABLE payment DROP COLUMN expected_ms`,
];

export class RateLimit1779000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
