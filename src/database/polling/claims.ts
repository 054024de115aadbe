import { JITTER } from '../../domain/polling/spacing.ts';
import {
  URGENCY,
  URGENCY_NAMES,
  urgencyName,
  urgencyNamed,
  type UrgencyName,
} from '../../domain/polling/urgency.ts';
import type { Claim, ClaimSpare, DueClaim } from '../../ports/schedule.ts';
import type { Queries } from '../../ports/queries.ts';
import { NOW_MS, type Database } from '../connection/database.ts';
import { FINAL } from '../payments/final.ts';
import { readClaims } from './read-claims.ts';

interface DueRow {
  readonly payment_id: string;
  readonly quote_id: string;
  readonly token: string;
  readonly known_digest: string | null;
  readonly stored_digest: string;
  readonly failures: number;
  readonly silent_since: Date | null;
  readonly urgency: UrgencyName;
  readonly hinted_at: Date | null;
  readonly answered_ago_ms: number | null;
  readonly scheduled_in_ms: number | null;
  readonly next_in_ms: number;
  readonly now_ms: number;
}

/** For each urgency: how long it waits for more urgent ones, and the due time below which none of its payments is due. */
export interface ClaimOrder {
  readonly slackMs: readonly number[];
  readonly fromMs: readonly number[];
}

export async function claimDue(
  database: Database,
  provider: string,
  limit: number,
  { leaseMs, spare: { urgentMs, othersMs } }: { readonly leaseMs: number; readonly spare: ClaimSpare },
  { slackMs, fromMs }: ClaimOrder,
): Promise<DueClaim[]> {
  const parameters = [limit, leaseMs, slackMs, fromMs, urgentMs, othersMs, provider];
  return claim(database, CLAIM_DUE, parameters);
}

/** Null: the payment was polled within `gapMs`, or does not exist. */
export async function claimNow(
  database: Database,
  quoteId: string,
  gapMs: number,
  leaseMs: number,
): Promise<Claim | null> {
  const claims = await claim(database, CLAIM_NOW, [quoteId, gapMs, leaseMs]);
  // Reads in a statement of its own: the claim may have waited for a poll result that was being committed.
  const [claimed] = await readClaims(database, claims);
  return claimed ?? null;
}

export async function claimUnanswered(
  database: Database,
  provider: string,
  limit: number,
  silentMs: number,
  troubledMs: number,
): Promise<Claim[]> {
  return readClaims(
    database,
    await claim(database, CLAIM_UNANSWERED, [limit, silentMs, troubledMs, provider]),
  );
}

export async function holdClaims(
  queries: Queries,
  claims: readonly DueClaim[],
  leaseMs: number,
): Promise<void> {
  const ids = claims.map((claim) => claim.paymentId);
  await queries.query(HOLD, [ids, claims.map((claim) => claim.token), leaseMs]);
}

/** Each claim also measures the database's clock, by which its polls are judged. */
async function claim(database: Database, sql: string, parameters: readonly unknown[]): Promise<DueClaim[]> {
  const askedAt = performance.now();
  const rows = await database.query<DueRow>(sql, parameters);
  if (rows[0] !== undefined) database.clock.measured(rows[0].now_ms, askedAt);
  return rows.map(claimOf);
}

function claimOf(row: DueRow): DueClaim {
  return {
    paymentId: row.payment_id,
    quoteId: row.quote_id,
    token: row.token,
    knownDigest: row.known_digest,
    storedDigest: row.stored_digest,
    silentSince: row.silent_since,
    failures: row.failures,
    scheduledInMs: row.scheduled_in_ms,
    nextInMs: row.next_in_ms,
    urgency: urgencyNamed(row.urgency),
    hintedAt: row.hinted_at,
    answeredAgoMs: row.answered_ago_ms,
  };
}

/**
 * Counts in microseconds, so that no token is given twice: a crash of the database may undo a claim whose poll is under way,
 * and that poll's late result must not pass for one of the next claim.
 */
export const NEXT_TOKEN = `greatest(s.token + 1, (date_part('epoch', clock_timestamp()) * 1000000)::bigint)`;

/** The last poll counts as answered unless silence is recorded; only then is the time of an earlier answer needed. */
const ANSWERED_AT = `CASE WHEN s.silent_since IS NULL THEN s.polled_at ELSE s.answered_at END`;

const HELD = `s.payment_id, s.quote_id, s.token, s.failures, s.urgency, s.hinted_at, s.report_digest AS stored_digest,
  date_part('epoch', now() - s.answered_at) * 1000 AS answered_ago_ms,
  date_part('epoch', s.due_at - now()) * 1000 AS next_in_ms, ${NOW_MS}`;

const JITTERED = `(1 + random() * CASE s.urgency
  ${URGENCY_NAMES.map((name, urgency) => `WHEN '${name}' THEN ${JITTER[urgency]}::float8`).join(' ')} END)`;

/** The interval of payment `s` at its scale, the row `x` of interval_scale. */
const NEXT_IN = `scaled_interval(s.interval_ms, x.factor, x.up_to_ms)`;

/** The token begins with the time: a row that is made again never repeats a token of the former one. */
export const FIRST_TOKEN = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/**
 * The intervals of the late watch last hours, and a lost claim must not skip one: the payment is scheduled again after the
 * lease.
 */
const IS_WATCHING = `s.urgency = '${urgencyName(URGENCY.watching)}'`;

/** Whether the claim schedules by the payment's own interval rather than by its lease. */
const IS_USUAL = `NOT ${IS_WATCHING} AND ${NEXT_IN} >= $2 * interval '1 millisecond'`;

/**
 * Counts from the last due time: a wait for the claim lengthens no interval. For a payment that is very late, it counts from
 * now.
 */
const NEXT_DUE = `
  CASE WHEN now() - s.due_at < ${NEXT_IN} / 2 THEN s.due_at + ${NEXT_IN} * ${JITTERED}
    ELSE now() + ${NEXT_IN} * (0.5 + 0.5 * random()) END`;

/**
 * The array makes the update use the primary key: with a subquery it becomes a hash join over the whole table. The commit
 * does not wait for the disk: a claim that a crash undoes is made again, and its payment is polled once more.
 */
const CLAIM_DUE = `
  WITH async_commit AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  UPDATE payment_schedule s
  SET token = ${NEXT_TOKEN}, answered_at = ${ANSWERED_AT}, polled_at = now(),
    due_at = greatest(CASE WHEN NOT ${IS_WATCHING} THEN least(${NEXT_DUE}, latest_poll(s.poll_by, now(), s.interval_ms)) END,
      now() + ($2 + CASE s.urgency WHEN '${urgencyName(URGENCY.inFlight)}' THEN $5::float8 ELSE $6::float8 END)
        * interval '1 millisecond')
  FROM interval_scale x
  WHERE (SELECT true FROM async_commit) AND x.provider = $7 AND x.urgency = s.urgency AND s.payment_id = ANY (ARRAY(
    SELECT * FROM lock_due($7, $1, $3::float8[], $4::float8[])))
  RETURNING ${HELD}, s.silent_since, CASE WHEN ${IS_USUAL} THEN s.interval_ms END AS scheduled_in_ms,
    CASE WHEN s.unchanged_until > now() AND s.failures = 0 AND s.silent_since IS NULL AND ${IS_USUAL}
      THEN s.report_digest END AS known_digest`;

/** A closed payment has no row in the schedule; this statement adds one. */
const CLAIM_NOW = `
  INSERT INTO payment_schedule AS s (payment_id, provider, quote_id, report_digest, due_at, interval_ms, urgency, token, polled_at,
    answered_at)
  SELECT id, provider, quote_id, report_digest, now() + $3 * interval '1 millisecond', 0, 'watching', ${FIRST_TOKEN},
    now(), last_polled_at
  FROM payment
  WHERE quote_id = $1
    AND (last_polled_at IS NULL OR last_polled_at <= now() - $2 * interval '1 millisecond')
  ON CONFLICT (payment_id) DO UPDATE
  SET token = ${NEXT_TOKEN}, answered_at = ${ANSWERED_AT}, polled_at = now(),
    due_at = now() + $3 * interval '1 millisecond'
  WHERE s.polled_at IS NULL OR s.polled_at <= now() - $2 * interval '1 millisecond'
  RETURNING ${HELD}, s.silent_since, NULL AS scheduled_in_ms, NULL AS known_digest`;

/**
 * Claims payments without an answer for some time, or overdue for that time: while the provider cannot be asked, no poll
 * records the silence.
 */
const CLAIM_UNANSWERED = `
  UPDATE payment_schedule s SET token = s.token + 1
  WHERE s.payment_id = ANY (ARRAY(
    SELECT due.payment_id FROM payment_schedule due JOIN payment p ON p.id = due.payment_id
    WHERE due.provider = $4 AND due.due_at <= now() AND p.status NOT IN (${FINAL}) AND NOT 'provider_silent' = ANY (p.stalls)
      AND least(due.silent_since, greatest(due.due_at, now() - $3 * interval '1 millisecond'))
        <= now() - $2 * interval '1 millisecond'
    ORDER BY due.payment_id LIMIT $1 FOR UPDATE OF due SKIP LOCKED))
  RETURNING ${HELD}, coalesce(s.silent_since, s.polled_at, s.due_at) AS silent_since, NULL AS scheduled_in_ms,
    NULL AS known_digest`;

const HOLD = `
  UPDATE payment_schedule s SET due_at = greatest(s.due_at, now() + $3 * interval '1 millisecond')
  FROM unnest($1::bigint[], $2::bigint[]) AS i (id, token)
  WHERE s.payment_id = i.id AND s.token = i.token`;
