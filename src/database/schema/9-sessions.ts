import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
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

/** The sessions of the dashboard. */
export class Sessions1790710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard_session`);
  }
}
