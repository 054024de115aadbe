import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
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

/** Operational events for endpoints that ask for them. */
export class OperationalEvents1790780000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE operational_delivery, attention_told`);
  }
}
