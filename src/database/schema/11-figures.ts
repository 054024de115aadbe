import type { MigrationInterface, QueryRunner } from 'typeorm';

import { LOCK_TABLES } from './lock-tables.ts';

const UP = [
  ...LOCK_TABLES,
  `ALTER TABLE provider_rate_limit ADD COLUMN circuit_since timestamptz`,
  `COMMENT ON COLUMN provider_rate_limit.circuit_since IS
     'When the circuit came to its state; null: a former release changed it.'`,
  `CREATE TYPE figure_length AS ENUM ('minute', 'hour')`,
  `CREATE TABLE figure (
     target uuid NOT NULL,
     length figure_length NOT NULL,
     at timestamptz NOT NULL,
     counts jsonb NOT NULL,
     PRIMARY KEY (target, length, at)
   ) WITH (fillfactor = 90)`,
  `CREATE INDEX figure_age ON figure (at)`,
  `COMMENT ON TABLE figure IS
     'What all replicas counted in a minute, and in an hour: a row for each destination that something happened at.'`,
  `COMMENT ON COLUMN figure.target IS 'The destination; all zeros: everything together.'`,
  `COMMENT ON COLUMN figure.counts IS 'How often, by name: domain/figures. Without zeros.'`,
  `CREATE TABLE replica_state (
     id uuid PRIMARY KEY,
     roles text[] NOT NULL,
     release text NOT NULL,
     started_at timestamptz NOT NULL,
     seen_at timestamptz NOT NULL,
     batch integer NOT NULL,
     provider jsonb NOT NULL
   ) WITH (fillfactor = 50)`,
  `COMMENT ON TABLE replica_state IS
     'What each running process says of itself every ten seconds. One that stops by itself removes its row.'`,
  `COMMENT ON COLUMN replica_state.batch IS 'The last batch of figures that it wrote: none is added twice.'`,
  `SET LOCAL lock_timeout = 0`,
];

const DOWN = [
  `DROP TABLE replica_state, figure`,
  `DROP TYPE figure_length`,
  `ALTER TABLE provider_rate_limit DROP COLUMN circuit_since`,
];

/** Figures that survive restarts, and what the replicas say of themselves. */
export class Figures1790730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
