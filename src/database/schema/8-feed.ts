import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The order of the event log: by the transaction that wrote an event, then by position. Whatever is ranked below the
 * oldest transaction that still runs is complete; positions alone are given before the commit, and commit in any order.
 */
const UP = [
  `CREATE FUNCTION log_rank_of(transaction_id xid8) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
     SELECT transaction_id::text::bigint
   $$`,
  `CREATE FUNCTION log_horizon() RETURNS bigint LANGUAGE sql STABLE AS $$
     SELECT log_rank_of(pg_snapshot_xmin(pg_current_snapshot()))
   $$`,
  // What is there already has one rank, that of this transaction, and so the order of its positions.
  `ALTER TABLE event ADD COLUMN log_rank bigint NOT NULL DEFAULT log_rank_of(pg_current_xact_id())`,
  `CREATE INDEX event_log ON event (log_rank, position)`,

  // Another server counts its transactions from another number: after a restored dump, new events would be ranked before
  // the old ones. From then on every rank is larger than any that the former server can have given.
  `CREATE FUNCTION continue_log() RETURNS boolean LANGUAGE plpgsql AS $$
   DECLARE
     last_rank bigint := (SELECT max(log_rank) FROM event);
   BEGIN
     IF last_rank IS NULL OR last_rank < log_rank_of(pg_snapshot_xmax(pg_current_snapshot())) THEN
       RETURN false;
     END IF;
     EXECUTE format(
       'CREATE OR REPLACE FUNCTION log_rank_of(transaction_id xid8) RETURNS bigint LANGUAGE sql IMMUTABLE AS %L',
       format('SELECT %s + transaction_id::text::bigint', last_rank + 1000000000000));
     RETURN true;
   END $$`,
];

const DOWN = [
  `DROP FUNCTION continue_log`,
  `DROP INDEX event_log`,
  `ALTER TABLE event DROP COLUMN log_rank`,
  `DROP FUNCTION log_horizon`,
  `DROP FUNCTION log_rank_of`,
];

export class Feed1779000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
