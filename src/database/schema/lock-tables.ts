/**
 * The first statements of a migration that changes tables of release 0.1.0. Locks all of them or none, and never for long: while
 * the migration waits, all others wait behind it. One that has locked the tables in another order waits for it too, and would
 * fail if it were not let go before the server looks for deadlocks, after a second. No migration of the same transaction may
 * have locked one of them before: that lock would stay.
 */
export const LOCK_TABLES: readonly string[] = [
  `SET LOCAL lock_timeout = '100ms'`,
  `DO $$
   BEGIN
     FOR n IN 1..20 LOOP
       BEGIN
         LOCK TABLE payment_schedule, payment, payment_report, event, delivery, attempt, event_replay IN ACCESS EXCLUSIVE MODE;
         RETURN;
       EXCEPTION WHEN lock_not_available THEN
         IF n = 20 THEN RAISE; END IF;
       END;
       PERFORM pg_sleep(0.1);
     END LOOP;
   END $$`,
];
