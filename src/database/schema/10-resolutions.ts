import type { MigrationInterface, QueryRunner } from 'typeorm';

import { LOCK_TABLES } from './lock-tables.ts';

/** How a person has settled a payment. The indexes of the filters that came with it are in indexes.ts. */
export class Resolutions1790720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of LOCK_TABLES) await runner.query(statement);
    await runner.query(`ALTER TABLE payment ADD COLUMN resolution text`);
    await runner.query(
      `COMMENT ON COLUMN payment.resolution IS 'JSON: how a person has settled the payment; null once its status has changed.'`,
    );
    await runner.query(`SET LOCAL lock_timeout = 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP INDEX IF EXISTS payment_late, payment_stalled, payment_contradicted, payment_resolved, delivery_untold`,
    );
    await runner.query(`ALTER TABLE payment DROP COLUMN resolution`);
  }
}
