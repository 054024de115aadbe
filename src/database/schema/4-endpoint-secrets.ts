import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How each endpoint's webhooks are signed, and the public key where there is one. */
export class EndpointSecrets1779000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE destination ADD COLUMN signature text NOT NULL DEFAULT 'v1', ADD COLUMN public_key text`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE destination DROP COLUMN signature, DROP COLUMN public_key`);
  }
}
