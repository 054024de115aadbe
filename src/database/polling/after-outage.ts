import { SPREAD_OUTAGES } from '../../domain/polling/spacing.ts';
import type { UrgencyRules } from '../../domain/polling/urgency.ts';
import type { Queries } from '../../ports/queries.ts';
import type { Spread } from '../../ports/schedule.ts';

/**
 * Forgets the failures that the provider caused: these payments are polled within an interval, after `leaseMs` at the
 * earliest.
 */
export async function healSchedule(
  queries: Queries,
  provider: string,
  { pollIntervalMs }: UrgencyRules,
  leaseMs: number,
): Promise<void> {
  await queries.query(HEAL, [pollIntervalMs, leaseMs, provider]);
}

/** Spreads the polls of the payments that are overdue, each over its interval. */
export async function spreadOverdue(queries: Queries, provider: string): Promise<Spread> {
  const [spread] = await queries.query<Spread>(SPREAD, [provider]);
  return spread as Spread;
}

const HEAL = `
  UPDATE payment_schedule
  SET failures = 0, due_at = least(due_at,
    greatest(now() + random() * $1::int * interval '1 millisecond', polled_at + $2::int * interval '1 millisecond'))
  WHERE payment_id = ANY (ARRAY(
    SELECT payment_id FROM payment_schedule WHERE provider = $3 AND failures > 0 FOR UPDATE SKIP LOCKED))`;

/**
 * dueAfterOutage of schedule-rules.ts in SQL; the outage began when the first of these payments became due. Skips rows that are
 * being claimed.
 */
const SPREAD = `
  WITH late AS MATERIALIZED (
    SELECT payment_id, due_at FROM payment_schedule WHERE provider = $1 AND due_at <= now() FOR UPDATE SKIP LOCKED
  ), spread AS (
    UPDATE payment_schedule s
    SET due_at = least(latest_poll(s.poll_by, now(), s.interval_ms),
      now() + random() * least(scaled_interval(s.interval_ms, x.factor, x.up_to_ms), ${SPREAD_OUTAGES} * (now() - outage.began_at)))
    FROM interval_scale x, (SELECT min(due_at) AS began_at FROM late) outage
    WHERE x.provider = s.provider AND x.urgency = s.urgency AND s.payment_id = ANY (ARRAY(SELECT payment_id FROM late))
    RETURNING s.due_at
  ) SELECT count(*)::int AS payments,
    coalesce(extract(epoch FROM max(due_at) - now()) * 1000, 0)::float8 AS "withinMs" FROM spread`;
