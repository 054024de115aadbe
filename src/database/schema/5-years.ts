import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an installation of millions of payments needs besides its indexes, which are in indexes.ts. */
export class Years1790400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE event_replay ADD COLUMN is_exact boolean NOT NULL DEFAULT true`);
    await runner.query(
      `COMMENT ON COLUMN event_replay.is_exact IS 'False while event_count is a part of the events: there are too many to count at once.'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP INDEX IF EXISTS payment_listed, payment_ordered, payment_quote_search, payment_report_search, event_by_time`,
    );
    await runner.query(`ALTER TABLE event_replay DROP COLUMN is_exact`);
  }
}
