import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // The table is read for a moment every few seconds.
  `SET LOCAL lock_timeout = '2s'`,
  `ALTER TABLE api_key ADD COLUMN role text NOT NULL DEFAULT 'admin'
     CONSTRAINT api_key_has_role CHECK (role IN ('shop', 'viewer', 'operator', 'admin'))`,
  `COMMENT ON COLUMN api_key.role IS 'Keys of release 0.1.0, and those that it still adds, are admin.'`,
  `RESET lock_timeout`,
  `CREATE TABLE key_use (hash text PRIMARY KEY, used_at timestamptz NOT NULL, address text)`,
  `COMMENT ON TABLE key_use IS 'When each API key was last used, to a minute, and from where. Those of API_KEYS have no row of api_key.'`,
];

const DOWN = [`DROP TABLE key_use`, `ALTER TABLE api_key DROP COLUMN role`];

/** What each API key may do, and when it was used. */
export class Access1790700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
