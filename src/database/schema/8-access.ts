import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // The table is read for a moment every few seconds.
  `SET LOCAL lock_timeout = '2s'`,
  `ALTER TABLE api_key ADD COLUMN role text NOT NULL DEFAULT 'admin'
     CONSTRAINT api_key_has_role CHECK (role IN ('shop', 'viewer', 'operator', 'admin'))`,
  `COMMENT ON COLUMN api_key.role IS 'Keys of release 0.1.0, and those that it still adds, are admin.'`,
  `SET LOCAL lock_timeout = 0`,
  `CREATE TABLE key_use (hash text PRIMARY KEY, used_at timestamptz NOT NULL, address text)`,
  `COMMENT ON TABLE key_use IS 'When each API key was last used, to a minute, and from where. Those of API_KEYS have no row of api_key.'`,
  `CREATE TABLE audit_entry (
     position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     time timestamptz NOT NULL DEFAULT now(),
     who text NOT NULL,
     role text,
     address text,
     via text NOT NULL CHECK (via IN ('api', 'session', 'cli')),
     action text NOT NULL,
     target text,
     "values" jsonb NOT NULL,
     status smallint)`,
  `COMMENT ON TABLE audit_entry IS 'Every change by a person or a program. Only remove_audit removes entries.'`,
  `COMMENT ON COLUMN audit_entry.status IS 'The result; null: the process ended before it was known.'`,
  `CREATE INDEX audit_entry_newest ON audit_entry (time, position)`,
  `CREATE INDEX audit_entry_target ON audit_entry (target, time, position)`,
  // Its text is in functions/, which is applied right after the migrations.
  `CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
  `CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE ON audit_entry FOR EACH ROW EXECUTE FUNCTION keep_audit()`,
  `CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION keep_audit()`,
];

const DOWN = [
  `DROP TABLE audit_entry, key_use`,
  `DROP FUNCTION keep_audit`,
  `ALTER TABLE api_key DROP COLUMN role`,
];

/** What each API key may do, when it was used, and who changed what. */
export class Access1790700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
