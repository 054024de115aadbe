import type { IntervalScale } from '../../domain/polling/interval-scale.ts';
import { scaleUpToMs, SHRUNK_SHARE } from '../../domain/polling/spacing.ts';
import { URGENCY_NAMES, type UrgencyName, type UrgencyRules } from '../../domain/polling/urgency.ts';
import type { Queries } from '../../ports/queries.ts';

/** How many intervals, jitter included, a poll waits at most, unless a former scale has put it off. */
const PUT_OFF_SHARE = 1.3;

/** How long a running poll may hold its payment. */
export interface Leases {
  /** A payment is not due again within this time after its last poll, which may still be running. */
  readonly leaseMs: number;
  /** The longest lease: a payment that is due sooner does not count as put off by a former scale. */
  readonly longestMs: number;
}

/**
 * Sets the scale of all intervals that are scheduled from now on. Payments that a larger scale has postponed are polled
 * sooner, though not within their lease and not before their interval at the new scale: when the scale goes up and down, only
 * a shrinking scale moves polls. Run it in a transaction: a process that ends in between would leave payments postponed.
 */
export async function scaleSchedule(
  queries: Queries,
  provider: string,
  scale: IntervalScale,
  rules: UrgencyRules,
  { leaseMs, longestMs }: Leases,
): Promise<void> {
  const upToMs = scaleUpToMs(rules);
  const before = await queries.query<{ urgency: UrgencyName; factor: number }>(SCALE, [
    URGENCY_NAMES,
    scale,
    upToMs,
    provider,
  ]);
  const shares = URGENCY_NAMES.map((name, urgency) => {
    const former = before.find((each) => each.urgency === name)?.factor ?? 1;
    return (scale[urgency] ?? 1) / former;
  });
  await queries.query(SHRINK, [
    // Share 0 makes a payment due at once: a poll with the former scale may have postponed it in a transaction that committed
    // after the last shrink.
    shares.map((share) => (isShrunk(share) ? share : 0)),
    shares.map((share) => (isShrunk(share) ? 0 : longestMs)),
    leaseMs,
    provider,
  ]);
}

function isShrunk(share: number): boolean {
  return share < SHRUNK_SHARE;
}

/** Answers the former factors. All replicas lock the rows in one order, so that no two ever wait for each other. */
const SCALE = `
  WITH before AS MATERIALIZED (SELECT urgency, factor FROM interval_scale WHERE provider = $4 ORDER BY urgency FOR UPDATE)
  UPDATE interval_scale x SET factor = i.factor, up_to_ms = i.up_to_ms
  FROM before JOIN unnest($1::poll_urgency[], $2::float8[], $3::float8[]) AS i (urgency, factor, up_to_ms)
    ON i.urgency = before.urgency
  WHERE x.provider = $4 AND x.urgency = before.urgency
  RETURNING before.urgency, before.factor`;

/** True for a payment `s` whose due time lies beyond its interval at the scale `x` by more than `spare` milliseconds. */
export const isPutOff = (spare: string): string =>
  `s.due_at > now() + scaled_interval(s.interval_ms, x.factor, x.up_to_ms) * ${PUT_OFF_SHARE}
    + ${spare} * interval '1 millisecond'`;

/** Moves due times in proportion, so that payments stay spread. Skips locked rows: the next scale finds them. */
const SHRINK = `
  UPDATE payment_schedule s
  SET due_at = least(s.due_at, greatest(
    now() + (s.due_at - now()) * i.share,
    s.polled_at + $3::int * interval '1 millisecond',
    s.polled_at + scaled_interval(s.interval_ms, x.factor, x.up_to_ms)))
  FROM interval_scale x, unnest(enum_range(NULL::poll_urgency), $1::float8[]) AS i (urgency, share)
  WHERE x.provider = s.provider AND x.urgency = s.urgency AND i.urgency = s.urgency AND s.payment_id = ANY (ARRAY(
    SELECT s.payment_id
    FROM payment_schedule s JOIN interval_scale x ON x.provider = s.provider AND x.urgency = s.urgency
      JOIN unnest(enum_range(NULL::poll_urgency), $2::float8[]) AS i (urgency, spare_ms) ON i.urgency = s.urgency
    WHERE s.provider = $4 AND ${isPutOff('i.spare_ms')}
    FOR UPDATE OF s SKIP LOCKED))`;
