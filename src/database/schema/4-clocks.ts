import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The shortest interval of a poll result, which record_polls holds. Replicas of the former release leave it null, and
 * record_polls takes their intervals as they are.
 */
export class Clocks1790300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TYPE poll_record ADD ATTRIBUTE gap_ms integer, ADD ATTRIBUTE asked_ago_ms double precision`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TYPE poll_record DROP ATTRIBUTE gap_ms, DROP ATTRIBUTE asked_ago_ms`);
  }
}
