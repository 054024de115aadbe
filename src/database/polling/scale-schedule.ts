import { scaleUpToMs } from '../../domain/polling/spacing.ts';
import type { IntervalScale } from '../../domain/polling/interval-scale.ts';
import type { UrgencyRules } from '../../domain/polling/urgency.ts';
import type { Queries } from '../../ports/queries.ts';

/** A stretch that shrinks by less is left to the next claims. */
const SHRUNK = 0.8;

/**
 * Stretches what is scheduled from now on; what was put off by a longer stretch comes sooner, though not within
 * `leaseMs` of its last look: that one may still be under way.
 */
export async function scaleSchedule(
  queries: Queries,
  scale: IntervalScale,
  rules: UrgencyRules,
  leaseMs: number,
): Promise<void> {
  const [row] = await queries.query<{ before: number[] }>(SCALE, [scale, scaleUpToMs(rules)]);
  for (const [urgency, factor] of scale.entries()) {
    const shrunkBy = factor / (row?.before[urgency] ?? 1);
    if (shrunkBy < SHRUNK) await queries.query(SHRINK, [urgency, shrunkBy, leaseMs]);
  }
}

/** Forgets failures that were the provider's: their payments come within an interval, after `leaseMs` at the least. */
export async function healSchedule(
  queries: Queries,
  { pollIntervalMs }: UrgencyRules,
  leaseMs: number,
): Promise<void> {
  await queries.query(HEAL, [pollIntervalMs, leaseMs]);
}

const SCALE = `
  WITH before AS (SELECT stretch FROM provider_rate_limit WHERE id = 1 FOR UPDATE)
  UPDATE provider_rate_limit p SET stretch = $1::float8[], scale_up_to_ms = $2::float8[]
  FROM before WHERE p.id = 1
  RETURNING before.stretch AS before`;

/** In proportion, so that what was spread stays spread. */
const SHRINK = `
  UPDATE payment_schedule
  SET due_at = greatest(now() + (due_at - now()) * $2::float8, polled_at + $3::int * interval '1 millisecond')
  WHERE payment_id = ANY (ARRAY(
    SELECT payment_id FROM payment_schedule
    WHERE urgency = $1 AND due_at > now() + interval_ms * interval '1 millisecond'
    FOR UPDATE SKIP LOCKED))`;

/** Failures of the time before the circuit opened: their payments wait no longer than others. */
const HEAL = `
  UPDATE payment_schedule
  SET failures = 0, due_at = least(due_at,
    greatest(now() + random() * $1::int * interval '1 millisecond', polled_at + $2::int * interval '1 millisecond'))
  WHERE payment_id = ANY (ARRAY(
    SELECT payment_id FROM payment_schedule WHERE failures > 0 FOR UPDATE SKIP LOCKED))`;
