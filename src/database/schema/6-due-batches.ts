import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the open payments were made due since an epoch began: with a million of them, no single transaction can. */
export class DueBatches1790520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE database_history ADD COLUMN due_after bigint`);
    await runner.query(
      `COMMENT ON COLUMN database_history.due_after IS
         'After an epoch began: up to which payment the open ones were made due; null once all are.'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE database_history DROP COLUMN due_after`);
  }
}
