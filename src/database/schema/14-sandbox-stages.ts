import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When each stage of a sandbox story was told first; null: a quote from before, whose story goes by time alone. */
export class SandboxStages1779000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sandbox_payment ADD COLUMN heard jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sandbox_payment DROP COLUMN heard`);
  }
}
