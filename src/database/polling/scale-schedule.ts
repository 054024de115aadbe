import type { IntervalScale } from '../../domain/polling/interval-scale.ts';
import { scaleUpToMs, SHRUNK_SHARE } from '../../domain/polling/spacing.ts';
import {
  URGENCY_NAMES,
  urgencyNamed,
  type UrgencyName,
  type UrgencyRules,
} from '../../domain/polling/urgency.ts';
import type { Queries } from '../../ports/queries.ts';

/**
 * Sets the scale of all intervals that are scheduled from now on. Payments that a larger scale has put off come sooner,
 * though not within `leaseMs` of their last poll, which may still be under way, nor before their interval at the new scale:
 * of a scale that goes up and down, only the way down moves polls.
 */
export async function scaleSchedule(
  queries: Queries,
  scale: IntervalScale,
  rules: UrgencyRules,
  leaseMs: number,
): Promise<void> {
  const upToMs = scaleUpToMs(rules);
  const before = await queries.query<{ urgency: UrgencyName; factor: number }>(SCALE, [
    URGENCY_NAMES,
    scale,
    upToMs,
  ]);
  for (const { urgency, factor: formerFactor } of before) {
    const index = urgencyNamed(urgency);
    const shrunkBy = scale[index] / formerFactor;
    if (shrunkBy < SHRUNK_SHARE)
      await queries.query(SHRINK, [urgency, shrunkBy, leaseMs, scale[index], upToMs[index]]);
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
  SET due_at = least(due_at, greatest(
    now() + (due_at - now()) * $2::float8,
    polled_at + $3::int * interval '1 millisecond',
    polled_at + scaled_interval(interval_ms, $4::float8, $5::float8)))
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
