import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quotes that Relay made, and how far the sweep of its changes has come: one row, claimed by one replica at a time. */
const UP = [
  `CREATE TABLE relay_quote (
     quote_id text PRIMARY KEY,
     request_id text NOT NULL UNIQUE,
     deposit_address text NOT NULL,
     address_key text NOT NULL,
     chain_id bigint NOT NULL,
     data text NOT NULL,
     created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL
   )`,
  // One address may stand on several chains of a kind.
  `CREATE UNIQUE INDEX relay_quote_address ON relay_quote (address_key, chain_id)`,
  `CREATE TABLE relay_reconcile (
     id smallint PRIMARY KEY CHECK (id = 1),
     swept_to timestamptz,
     next_at timestamptz NOT NULL
   )`,
  `INSERT INTO relay_reconcile (id, swept_to, next_at) VALUES (1, NULL, now())`,
];

export class Relay1779000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE relay_reconcile, relay_quote`);
  }
}
