import type { IntervalScale } from '../../domain/polling/interval-scale.ts';
import { scaleUpToMs, SHRUNK_SHARE } from '../../domain/polling/spacing.ts';
import { URGENCY_NAMES, type UrgencyName, type UrgencyRules } from '../../domain/polling/urgency.ts';
import type { Queries } from '../../ports/queries.ts';

/**
 * Sets the scale of all intervals that are scheduled from now on. Payments that a larger scale has put off come sooner,
 * though not within `leaseMs` of their last poll: that poll may still be under way.
 */
export async function scaleSchedule(
  queries: Queries,
  scale: IntervalScale,
  rules: UrgencyRules,
  leaseMs: number,
): Promise<void> {
  const before = await queries.query<{ urgency: UrgencyName; factor: number }>(SCALE, [
    URGENCY_NAMES,
    scale,
    scaleUpToMs(rules),
  ]);
  for (const { urgency, factor } of before) {
    const shrunkBy = (scale[URGENCY_NAMES.indexOf(urgency)] ?? 1) / factor;
    if (shrunkBy < SHRUNK_SHARE) await queries.query(SHRINK, [urgency, shrunkBy, leaseMs]);
  }
}

/** Forgets failures that were the provider's: these payments come within an interval, after `leaseMs` at the earliest. */
export async function healSchedule(
  queries: Queries,
  { pollIntervalMs }: UrgencyRules,
  leaseMs: number,
): Promise<void> {
  await queries.query(HEAL, [pollIntervalMs, leaseMs]);
}

/** Answers the former factors. Locks the rows in one order, so that no two replicas wait for each other. */
const SCALE = `
  WITH before AS MATERIALIZED (SELECT urgency, factor FROM interval_scale ORDER BY urgency FOR UPDATE)
  UPDATE interval_scale x SET factor = i.factor, up_to_ms = i.up_to_ms
  FROM before JOIN unnest($1::poll_urgency[], $2::float8[], $3::float8[]) AS i (urgency, factor, up_to_ms)
    ON i.urgency = before.urgency
  WHERE x.urgency = before.urgency
  RETURNING before.urgency, before.factor`;

/** In proportion, so that payments that were spread stay spread. */
const SHRINK = `
  UPDATE payment_schedule
  SET due_at = greatest(now() + (due_at - now()) * $2::float8, polled_at + $3::int * interval '1 millisecond')
  WHERE payment_id = ANY (ARRAY(
    SELECT payment_id FROM payment_schedule
    WHERE urgency = $1 AND due_at > now() + interval_ms * interval '1 millisecond'
    FOR UPDATE SKIP LOCKED))`;

const HEAL = `
  UPDATE payment_schedule
  SET failures = 0, due_at = least(due_at,
    greatest(now() + random() * $1::int * interval '1 millisecond', polled_at + $2::int * interval '1 millisecond'))
  WHERE payment_id = ANY (ARRAY(
    SELECT payment_id FROM payment_schedule WHERE failures > 0 FOR UPDATE SKIP LOCKED))`;
