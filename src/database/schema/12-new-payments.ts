import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What add_payments_v3 is given: a payment with all that is stored with it. */
const NEW_PAYMENT = `
  CREATE TYPE new_payment AS (
    quote_id text,
    order_id text,
    metadata text,
    status text,
    late boolean,
    sequence integer,
    epoch integer,
    tracking text,
    created_at timestamptz,
    expires_at timestamptz,
    progress_at timestamptz,
    ended_at timestamptz,
    part_digests text,
    report_digest text,
    stalls text[],
    contradictions text[],
    expected_ms integer,
    quote text,
    report text,
    in_ms integer,
    gap_ms integer,
    urgency poll_urgency,
    spread double precision,
    polled_at timestamptz,
    poll_by timestamptz,
    claim_scope text,
    claim_key text,
    claim_token uuid,
    events event_record[]
  )`;

/** Payments that come at once are stored by one call of add_payments_v3. */
export class NewPayments1790740000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(NEW_PAYMENT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TYPE new_payment`);
  }
}
