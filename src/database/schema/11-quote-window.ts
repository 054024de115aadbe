import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Providers that limit quotes count them apart from status requests. */
const UP = [
  `CREATE TABLE quote_window (
     id smallint PRIMARY KEY,
     taken_at double precision[] NOT NULL DEFAULT '{}',
     paused_until double precision NOT NULL DEFAULT 0
   ) WITH (fillfactor = 20)`,
  `INSERT INTO quote_window (id) VALUES (1)`,
];

const DOWN = [`DROP TABLE quote_window`];

export class QuoteWindow1779000000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
