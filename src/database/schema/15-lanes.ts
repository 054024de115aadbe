import type { MigrationInterface, QueryRunner } from 'typeorm';

import { LOCK_TABLES } from './lock-tables.ts';

const UP = [
  `ALTER TABLE delivery ADD COLUMN lane_due_at timestamptz, ADD COLUMN is_unscheduled boolean NOT NULL DEFAULT false`,
  `COMMENT ON COLUMN delivery.lane_due_at IS
     'When the waiting events of its lane are due, whatever became of those before them; null: none of the lane has failed.'`,
  `COMMENT ON COLUMN delivery.is_unscheduled IS
     'A person or a new event asked for its next attempt: a failure does not count against the endpoint.'`,
  `ALTER TABLE endpoint_circuit ADD COLUMN failing_payments bigint[] NOT NULL DEFAULT '{}',
     ADD COLUMN probed_at timestamptz, ADD COLUMN probing_until timestamptz`,
  `COMMENT ON COLUMN endpoint_circuit.failing_payments IS 'Of the failures in a row, up to three.'`,
  `ALTER TABLE destination ADD COLUMN tested_at timestamptz`,
  `COMMENT ON COLUMN destination.tested_at IS 'When it last acknowledged a test.'`,
  `COMMENT ON COLUMN endpoint_circuit.probing_until IS 'A probe is in flight until its outcome is noted, or until then.'`,
];

/** One patience for a lane, circuits that count payments, and probes by payments that nothing holds back. */
export class Lanes1790770000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...LOCK_TABLES, ...UP]) await runner.query(statement);
    await runner.query(`SET LOCAL lock_timeout = 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE destination DROP COLUMN tested_at`);
    await runner.query(`ALTER TABLE delivery DROP COLUMN lane_due_at, DROP COLUMN is_unscheduled`);
    await runner.query(
      `ALTER TABLE endpoint_circuit DROP COLUMN failing_payments, DROP COLUMN probed_at, DROP COLUMN probing_until`,
    );
  }
}
