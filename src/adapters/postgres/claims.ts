import { JITTER } from '../../domain/spacing.ts';
import { URGENCY, type UrgencyClass } from '../../domain/urgency.ts';
import type { Claim } from '../../ports/schedule.ts';
import type { Queries } from './database.ts';
import { FIRST_TOKEN } from './insert-payment.ts';
import { PAYMENT_COLUMNS, paymentOf, type PaymentRow } from './payment-row.ts';
import { stretched } from './record-looks.ts';

interface Held {
  readonly token: string;
  readonly failures: number;
  readonly silent_since: Date | null;
  readonly urgency: UrgencyClass;
  readonly hinted_at: Date | null;
  readonly answered_ago_ms: number | null;
}

interface HeldRow extends Held {
  readonly payment_id: string;
}

interface ClaimRow extends Held, PaymentRow {
  readonly scheduled_in_ms: number | null;
  readonly next_in_ms: number;
}

/** Indexed by class: how long each waits for the more pressing ones, and below which due time there is none. */
export interface ClaimOrder {
  readonly slackMs: readonly number[];
  readonly fromMs: readonly number[];
}

export async function claimDue(
  queries: Queries,
  limit: number,
  leaseMs: number,
  { slackMs, fromMs }: ClaimOrder,
): Promise<Claim[]> {
  const rows = await queries.query<ClaimRow>(CLAIM_DUE, [limit, leaseMs, slackMs, fromMs]);
  return rows.map(claimOf);
}

/** Null: the payment was looked at within `gapMs`, or there is no such payment. */
export async function claimNow(
  queries: Queries,
  quoteId: string,
  gapMs: number,
  leaseMs: number,
): Promise<Claim | null> {
  const [held] = await queries.query<HeldRow>(CLAIM_NOW, [quoteId, gapMs, leaseMs]);
  if (held === undefined) return null;
  // A statement of its own: the claim may have waited for a look that was just being committed.
  const [row] = await queries.query<PaymentRow>(READ_PAYMENT, [held.payment_id]);
  return row === undefined ? null : claimOf({ ...row, ...held, scheduled_in_ms: null, next_in_ms: leaseMs });
}

export async function claimUnheard(queries: Queries, limit: number, overdueMs: number): Promise<Claim[]> {
  const rows = await queries.query<ClaimRow>(CLAIM_UNHEARD, [limit, overdueMs]);
  return rows.map(claimOf);
}

function claimOf(row: ClaimRow): Claim {
  return {
    paymentId: row.id,
    token: row.token,
    payment: paymentOf(row),
    silentSince: row.silent_since,
    failures: row.failures,
    scheduledInMs: row.scheduled_in_ms,
    nextInMs: row.next_in_ms,
    urgency: row.urgency,
    hintedAt: row.hinted_at,
    answeredAgoMs: row.answered_ago_ms,
  };
}

/** A look is taken as answered until silence is recorded: only then is the time of the one before needed. */
const ANSWERED_AT = `CASE WHEN s.silent_since IS NULL THEN s.polled_at ELSE s.answered_at END`;

const HELD = `s.payment_id, s.token, s.failures, s.silent_since, s.urgency, s.hinted_at,
  (extract(epoch FROM now() - s.answered_at) * 1000)::float8 AS answered_ago_ms`;
const HELD_COLUMNS = `c.token, c.failures, c.silent_since, c.urgency, c.hinted_at, c.answered_ago_ms`;

const JITTERED = `(1 + ('{${JITTER.join()}}'::float8[])[s.urgency + 1] * random())`;

const NEXT_IN = stretched('s.interval_ms', 's.urgency');

/** Counted from the last due time, so that waiting for a claim does not stretch the interval; a late one is not made up for. */
const NEXT_DUE = `
  CASE WHEN now() - s.due_at < ${NEXT_IN} / 2 THEN s.due_at + ${NEXT_IN} * ${JITTERED}
    ELSE now() + ${NEXT_IN} * (0.5 + 0.5 * random()) END`;

/** See latestLook of the domain. */
const LATEST_LOOK = `
  CASE WHEN s.look_by > now() THEN s.look_by
    WHEN s.look_by IS NOT NULL THEN now() + 10 * s.interval_ms * interval '1 millisecond' END`;

/**
 * The array keeps the update on the primary key: from a subquery it turns into a hash join over the whole table. What is
 * due is locked by a function (migration 3), one short index scan for each class, which no plan of old statistics spoils.
 * Nobody waits for the disk: a claim that a crash of the database undoes is made again, and its look is made once more.
 */
const CLAIM_DUE = `
  WITH hasty AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)), claimed AS (
    UPDATE payment_schedule s
    SET token = s.token + 1, answered_at = ${ANSWERED_AT}, polled_at = now(),
      due_at = greatest(least(${NEXT_DUE}, ${LATEST_LOOK}), now() + $2 * interval '1 millisecond')
    WHERE (SELECT true FROM hasty) AND s.payment_id = ANY (ARRAY(
      SELECT * FROM lock_due($1, $3::float8[], $4::float8[])))
    RETURNING ${HELD}, (extract(epoch FROM s.due_at - now()) * 1000)::float8 AS next_in_ms,
      CASE WHEN ${NEXT_IN} >= $2 * interval '1 millisecond' THEN s.interval_ms END AS scheduled_in_ms
  )
  SELECT ${PAYMENT_COLUMNS}, ${HELD_COLUMNS}, c.scheduled_in_ms, c.next_in_ms
  FROM claimed c JOIN payment p ON p.id = c.payment_id`;

/** A closed payment has no row in the schedule: it gets one for this look. */
const CLAIM_NOW = `
  INSERT INTO payment_schedule AS s (payment_id, due_at, interval_ms, urgency, token, polled_at, answered_at)
  SELECT id, now() + $3 * interval '1 millisecond', 0, ${URGENCY.watching}, ${FIRST_TOKEN}, now(), last_polled_at
  FROM payment
  WHERE quote_id = $1
    AND (last_polled_at IS NULL OR last_polled_at <= now() - $2 * interval '1 millisecond')
  ON CONFLICT (payment_id) DO UPDATE
  SET token = s.token + 1, answered_at = ${ANSWERED_AT}, polled_at = now(),
    due_at = now() + $3 * interval '1 millisecond'
  WHERE s.polled_at IS NULL OR s.polled_at <= now() - $2 * interval '1 millisecond'
  RETURNING ${HELD}`;

/** Silent since the last answer, or due for so long: while the provider can't be asked, nobody writes silence down. */
const CLAIM_UNHEARD = `
  WITH claimed AS (
    UPDATE payment_schedule s SET token = s.token + 1
    WHERE s.payment_id = ANY (ARRAY(
      SELECT due.payment_id FROM payment_schedule due JOIN payment p ON p.id = due.payment_id
      WHERE due.due_at <= now() AND NOT 'provider_silent' = ANY (p.stalls)
        AND least(due.silent_since, due.due_at) <= now() - $2 * interval '1 millisecond'
      ORDER BY due.payment_id LIMIT $1 FOR UPDATE OF due SKIP LOCKED))
    RETURNING ${HELD}, s.polled_at
  )
  SELECT ${PAYMENT_COLUMNS}, c.token, c.failures, coalesce(c.silent_since, c.polled_at, p.created_at) AS silent_since,
    c.urgency, c.hinted_at, c.answered_ago_ms, NULL AS scheduled_in_ms, 0 AS next_in_ms
  FROM claimed c JOIN payment p ON p.id = c.payment_id`;

const READ_PAYMENT = `SELECT ${PAYMENT_COLUMNS} FROM payment p WHERE p.id = $1`;
