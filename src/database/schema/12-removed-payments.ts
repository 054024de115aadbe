import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ids of payments that were removed, for ever and exactly: a UUID as its 16 bytes, any other id as its text. */
const UP = [
  `CREATE TABLE removed_payment (
     quote_uuid uuid,
     quote_text text COLLATE "C",
     CHECK (num_nonnulls(quote_uuid, quote_text) = 1)
   )`,
  `CREATE UNIQUE INDEX removed_payment_uuid ON removed_payment (quote_uuid) WHERE quote_uuid IS NOT NULL`,
  `CREATE UNIQUE INDEX removed_payment_text ON removed_payment (quote_text) WHERE quote_text IS NOT NULL`,
  // Only the canonical form: in any other one the same UUID is another quote id.
  `CREATE FUNCTION uuid_of(the_quote text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
     SELECT CASE WHEN the_quote ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN the_quote::uuid END
   $$`,
  `CREATE FUNCTION was_removed(the_quote text) RETURNS boolean LANGUAGE sql STABLE AS $$
     SELECT EXISTS (SELECT FROM removed_payment WHERE quote_uuid = uuid_of(the_quote))
       OR EXISTS (SELECT FROM removed_payment WHERE quote_text = the_quote)
   $$`,
  // A trigger, so that whoever removes a payment, a replica of the former release or a person, leaves its id behind.
  `CREATE FUNCTION keep_removed_payments() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO removed_payment (quote_uuid, quote_text)
     SELECT uuid_of(quote_id), CASE WHEN uuid_of(quote_id) IS NULL THEN quote_id END FROM removed
     ON CONFLICT DO NOTHING;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER payment_removed AFTER DELETE ON payment REFERENCING OLD TABLE AS removed
     FOR EACH STATEMENT EXECUTE FUNCTION keep_removed_payments()`,
];

const DOWN = [
  `DROP TRIGGER payment_removed ON payment`,
  `DROP FUNCTION keep_removed_payments`,
  `DROP FUNCTION was_removed`,
  `DROP FUNCTION uuid_of`,
  `DROP TABLE removed_payment`,
];

export class RemovedPayments1779000000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
