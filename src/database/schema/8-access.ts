import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // The table is read for a moment every few seconds.
  `SET LOCAL lock_timeout = '2s'`,
  `ALTER TABLE api_key ADD COLUMN role text NOT NULL DEFAULT 'admin'
     CONSTRAINT api_key_has_role CHECK (role IN ('shop', 'viewer', 'operator', 'admin'))`,
  `COMMENT ON COLUMN api_key.role IS 'Keys of release 0.1.0, and those that it still adds, are admin.'`,
  `RESET lock_timeout`,
];

const DOWN = [`ALTER TABLE api_key DROP COLUMN role`];

/** What each API key may do. */
export class Access1790700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
