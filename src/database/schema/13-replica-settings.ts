import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `ALTER TABLE replica_state ADD COLUMN settings jsonb NOT NULL DEFAULT '{}', ADD COLUMN troubles jsonb NOT NULL DEFAULT '{}'`,
  `COMMENT ON COLUMN replica_state.settings IS
     'Fingerprints of the settings that must agree, by name; empty: a former release wrote the row.'`,
  `COMMENT ON COLUMN replica_state.troubles IS 'What keeps its events from a kind of destination, by the kind.'`,
];

/** Replicas say which settings they have, so that each can name those that do not agree, and which broker they do not reach. */
export class ReplicaSettings1790750000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE replica_state DROP COLUMN settings, DROP COLUMN troubles`);
  }
}
