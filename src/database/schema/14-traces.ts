import type { MigrationInterface, QueryRunner } from 'typeorm';

import { LOCK_TABLES } from './lock-tables.ts';

const UP = [
  `ALTER TABLE payment ADD COLUMN traceparent text`,
  `COMMENT ON COLUMN payment.traceparent IS
     'The W3C trace context of the quote; null: it was made without tracing, or by a former release.'`,
  `ALTER TYPE new_payment ADD ATTRIBUTE traceparent text`,
];

/** The trace that a payment's quote belongs to, which its events carry. */
export class Traces1790760000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...LOCK_TABLES, ...UP]) await runner.query(statement);
    await runner.query(`SET LOCAL lock_timeout = 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TYPE new_payment DROP ATTRIBUTE traceparent`);
    await runner.query(`ALTER TABLE payment DROP COLUMN traceparent`);
  }
}
