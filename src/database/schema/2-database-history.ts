import type { MigrationInterface, QueryRunner } from 'typeorm';

import { LOCK_TABLES } from './lock-tables.ts';

const UP = [
  // Those of the migrations that follow in the same transaction too.
  ...LOCK_TABLES,
  `CREATE TABLE database_history (
     number integer PRIMARY KEY,
     system_identifier bigint,
     timeline text,
     epoch integer NOT NULL,
     log_offset bigint NOT NULL,
     resume_rank bigint NOT NULL DEFAULT 0,
     resume_at timestamptz,
     cause text NOT NULL,
     began_at timestamptz NOT NULL DEFAULT now()
   )`,
  `COMMENT ON TABLE database_history IS
     'A row each time the database came to another server or went back; the last one holds now.'`,
  `COMMENT ON COLUMN database_history.epoch IS
     'Counts how often the database went back: 0, or the minutes from 2026 to then, so that no copy gives a number again.'`,
  `COMMENT ON COLUMN database_history.log_offset IS 'Added to a transaction''s id, it makes the rank of its events.'`,
  `COMMENT ON COLUMN database_history.resume_rank IS
     'After an epoch began: where in the log a reader goes on whose last event was lost, if it is not older than resume_at.'`,
  `INSERT INTO database_history (number, epoch, log_offset, cause) VALUES (1, 0, log_rank_of('0'::xid8), 'created')`,
  `CREATE TABLE replica (
     id uuid PRIMARY KEY,
     beat bigint NOT NULL,
     seen_at timestamptz NOT NULL,
     confirmed text,
     is_replicated boolean NOT NULL DEFAULT false
   ) WITH (fillfactor = 50)`,
  `COMMENT ON TABLE replica IS
     'The running processes: what each is known to have committed lets them judge what a failover has lost.'`,
  `COMMENT ON COLUMN replica.confirmed IS 'The server on which the process found all that it had committed.'`,
  `COMMENT ON COLUMN replica.is_replicated IS 'Whether its last beat, as all its commits, waited for a synchronous standby.'`,
  // Its current text is functions/log_epoch.sql, which is applied right after the migrations.
  `CREATE FUNCTION log_epoch() RETURNS integer LANGUAGE sql STABLE AS $$
     SELECT epoch FROM database_history ORDER BY number DESC LIMIT 1
   $$`,
  // Replicas of the former release do not name the column.
  `ALTER TABLE payment ADD COLUMN epoch integer NOT NULL DEFAULT log_epoch()`,
  `COMMENT ON COLUMN payment.epoch IS
     'The epoch of its newest event. In a later one, the next event takes a number that no lost event can have.'`,
  `ALTER TYPE poll_record ADD ATTRIBUTE epoch integer`,
  `SET LOCAL lock_timeout = 0`,
];

const DOWN = [
  `DO $$
   BEGIN
     EXECUTE format(
       'CREATE OR REPLACE FUNCTION log_rank_of(transaction_id xid8) RETURNS bigint LANGUAGE sql IMMUTABLE AS %L',
       format('SELECT %s + transaction_id::text::bigint', log_rank_of('0'::xid8)));
   END $$`,
  `ALTER TYPE poll_record DROP ATTRIBUTE epoch`,
  `ALTER TABLE payment DROP COLUMN epoch`,
  `DROP TABLE replica, database_history`,
];

/** Where a database that went back goes on: the server it is on, the epoch of its numbers, and the order of its log. */
export class DatabaseHistory1790100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
