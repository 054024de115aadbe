import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose turn it is, of those who ask for requests beside the polling: in the pace's row, whose lock guards it. */
const UP = [`ALTER TABLE provider_rate_limit ADD COLUMN caller_turns jsonb NOT NULL DEFAULT '[]'`];

const DOWN = [`ALTER TABLE provider_rate_limit DROP COLUMN caller_turns`];

export class CallerTurns1779000000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
