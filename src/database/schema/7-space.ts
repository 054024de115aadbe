import type { MigrationInterface, QueryRunner } from 'typeorm';

import { LOCK_TABLES } from './lock-tables.ts';

/** Nothing is rewritten: rows of the former release keep their bodies where they are, and are read as well. */
const UP = [
  ...LOCK_TABLES,
  // Of an unreleased version, on another expression.
  `DROP INDEX IF EXISTS payment_report_search`,
  `ALTER TABLE payment_report RENAME TO payment_text`,
  `ALTER TABLE payment_text ALTER COLUMN body DROP NOT NULL, ALTER COLUMN reported_at DROP NOT NULL, ADD COLUMN texts text[]`,
  // Compressed from 2 kB on, and not moved out of the row.
  `ALTER TABLE payment_text ALTER COLUMN texts SET STORAGE MAIN`,
  `COMMENT ON TABLE payment_text IS 'The newest report of a payment and the bodies of its events: together they compress to a fourth.'`,
  `COMMENT ON COLUMN payment_text.texts IS 'The report, then bodies of events: written by keep_texts, and only ever added to.'`,
  `COMMENT ON COLUMN payment_text.body IS 'A report that is too long for texts, or that release 0.1.0 wrote.'`,
  `ALTER TABLE event RENAME TO event_entry`,
  `ALTER TABLE event_entry ALTER COLUMN body DROP NOT NULL, ADD COLUMN slot smallint,
     ADD CONSTRAINT event_has_body CHECK (num_nonnulls(body, slot) = 1) NOT VALID`,
  `COMMENT ON COLUMN event_entry.slot IS 'Which of the payment''s texts is the body.'`,
  `COMMENT ON COLUMN event_entry.body IS 'A body that does not fit into the payment''s texts, or that release 0.1.0 wrote.'`,
  `ALTER TABLE attempt RENAME TO earlier_attempt`,
  `COMMENT ON TABLE earlier_attempt IS 'The attempts that are not in the row of their delivery, which has the newest one.'`,
  // Its updates move an indexed column: none could stay in the space that pages kept free.
  `ALTER TABLE delivery RESET (fillfactor)`,
  `ALTER TABLE delivery ADD COLUMN attempt_made_at timestamptz, ADD COLUMN attempt_ms integer,
     ADD COLUMN attempt_address text, ADD COLUMN attempt_excerpt bytea`,
  `COMMENT ON COLUMN delivery.attempt_made_at IS
     'Of the newest attempt, with last_failure and last_http_status; null where this is a row of earlier_attempt, or was not kept.'`,
  `CREATE VIEW event AS
     SELECT e.position, e.id, e.payment_id, e.sequence, e.type, e.time,
       coalesce(e.body, (SELECT t.texts[e.slot] FROM payment_text t WHERE t.payment_id = e.payment_id)) AS body, e.log_rank
     FROM event_entry e`,
  `COMMENT ON VIEW event IS 'The events with their bodies. Release 0.1.0 reads them here, and deletes them.'`,
  `CREATE VIEW payment_report AS
     SELECT payment_id, coalesce(body, texts[1]) AS body, reported_at FROM payment_text WHERE reported_at IS NOT NULL`,
  `COMMENT ON VIEW payment_report IS 'The newest report of each payment that has one. Release 0.1.0 also inserts them here.'`,
  // Without a condition, so that a join can use the index of each part: a row without a number is no attempt.
  `CREATE VIEW attempt AS
     SELECT delivery_id, number, made_at, duration_ms, address, http_status, failure, excerpt FROM earlier_attempt
     UNION ALL
     SELECT id, CASE WHEN attempt_made_at IS NOT NULL THEN attempts END, attempt_made_at, attempt_ms, attempt_address,
       last_http_status, last_failure, attempt_excerpt FROM delivery`,
  `COMMENT ON VIEW attempt IS 'For release 0.1.0, which compares the number in all that it reads.'`,
  // Their texts are in functions/, which is applied right after the migrations.
  `CREATE FUNCTION keep_report() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
  `CREATE TRIGGER report_kept INSTEAD OF INSERT ON payment_report FOR EACH ROW EXECUTE FUNCTION keep_report()`,
  `CREATE FUNCTION remove_attempt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
  `CREATE TRIGGER attempt_removed INSTEAD OF DELETE ON attempt FOR EACH ROW EXECUTE FUNCTION remove_attempt()`,
  // Calls that wait for the locks above go on with the text that they began with.
  `CREATE FUNCTION run_again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
  `CREATE TRIGGER old_record_polls BEFORE UPDATE ON payment_schedule FOR EACH STATEMENT EXECUTE FUNCTION run_again()`,
  `CREATE TRIGGER old_record_events INSTEAD OF INSERT ON event FOR EACH ROW EXECUTE FUNCTION run_again()`,
  `CREATE TRIGGER old_keep_attempts INSTEAD OF INSERT ON attempt FOR EACH ROW EXECUTE FUNCTION run_again()`,
  `SET LOCAL lock_timeout = 0`,
];

const DOWN = [
  `DROP VIEW attempt, payment_report, event`,
  `DROP TRIGGER old_record_polls ON payment_schedule`,
  `DROP FUNCTION keep_report, remove_attempt, run_again`,
  `DROP INDEX IF EXISTS payment_report_search`,
  `ALTER TABLE event_entry DROP CONSTRAINT event_has_body`,
  `UPDATE event_entry e SET body = t.texts[e.slot] FROM payment_text t WHERE t.payment_id = e.payment_id AND e.body IS NULL`,
  `DELETE FROM payment_text WHERE reported_at IS NULL`,
  `UPDATE payment_text SET body = texts[1] WHERE body IS NULL`,
  `INSERT INTO earlier_attempt (delivery_id, number, made_at, duration_ms, address, http_status, failure, excerpt)
   SELECT id, attempts, attempt_made_at, attempt_ms, attempt_address, last_http_status, last_failure, attempt_excerpt
   FROM delivery WHERE attempt_made_at IS NOT NULL`,
  `ALTER TABLE delivery DROP COLUMN attempt_made_at, DROP COLUMN attempt_ms, DROP COLUMN attempt_address,
     DROP COLUMN attempt_excerpt`,
  `ALTER TABLE delivery SET (fillfactor = 80)`,
  `ALTER TABLE event_entry DROP COLUMN slot, ALTER COLUMN body SET NOT NULL`,
  `ALTER TABLE payment_text DROP COLUMN texts, ALTER COLUMN body SET NOT NULL, ALTER COLUMN reported_at SET NOT NULL`,
  `ALTER TABLE earlier_attempt RENAME TO attempt`,
  `ALTER TABLE event_entry RENAME TO event`,
  `ALTER TABLE payment_text RENAME TO payment_report`,
];

/** A payment's report and the bodies of its events in one compressed row, and the newest attempt in the row of its delivery. */
export class Space1790600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
