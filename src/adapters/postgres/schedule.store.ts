import { Injectable } from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import { Schedule, type Claim, type Look } from '../../ports/schedule.ts';
import { DueBell, OwedBells } from '../../scheduling/bell.ts';
import { Database } from './database.ts';
import { PAYMENT_COLUMNS, paymentOf, type PaymentRow } from './payment-row.ts';
import { FIRST_TOKEN } from './insert-payment.ts';
import { recordLooks } from './record-looks.ts';
import { RecordRules } from './record-rules.ts';

interface Held {
  readonly token: string;
  readonly failures: number;
  readonly silent_since: Date | null;
}

interface HeldRow extends Held {
  readonly payment_id: string;
}

interface ClaimRow extends Held, PaymentRow {
  readonly scheduled_in_ms: number | null;
}

/** The schedule in PostgreSQL: a narrow table of its own, claimed in batches. */
@Injectable()
export class PostgresSchedule extends Schedule {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordRules,
    private readonly clock: Clock,
    private readonly owed: OwedBells,
    private readonly due: DueBell,
  ) {
    super();
  }

  async claimDue(limit: number, leaseMs: number): Promise<Claim[]> {
    const rows = await this.database.query<ClaimRow>(CLAIM_DUE, [limit, leaseMs]);
    return rows.map(claimOf);
  }

  async claimNow(quoteId: string, gapMs: number, leaseMs: number): Promise<Claim | 'recent' | 'unknown'> {
    const [held] = await this.database.query<HeldRow>(CLAIM_NOW, [quoteId, gapMs, leaseMs]);
    if (held !== undefined) return this.readHeld(held);
    const known = await this.database.query(`SELECT 1 FROM payment WHERE quote_id = $1`, [quoteId]);
    return known.length > 0 ? 'recent' : 'unknown';
  }

  /** A statement of its own: the claim may have waited for a look that was just being committed. */
  private async readHeld({ payment_id, ...held }: HeldRow): Promise<Claim | 'unknown'> {
    const [row] = await this.database.query<PaymentRow>(READ_PAYMENT, [payment_id]);
    return row === undefined ? 'unknown' : claimOf({ ...row, ...held, scheduled_in_ms: null });
  }

  async record(looks: readonly Look[]): Promise<void> {
    const now = this.clock.now();
    const isTold = await this.database.transaction((queries) =>
      recordLooks(queries, looks, this.rules.source, now),
    );
    if (isTold) this.owed.ring();
    this.due.ringIn(Math.min(...looks.map((look) => look.next.inMs ?? Number.POSITIVE_INFINITY)));
  }

  async nextDueInMs(): Promise<number | null> {
    const [row] = await this.database.query<{ in_ms: number }>(NEXT_DUE);
    return row === undefined ? null : Math.max(0, row.in_ms);
  }

  async takeBudget(wanted: number, maxRpm: number): Promise<number> {
    const burst = Math.max(1, Math.floor(maxRpm * BURST_SHARE));
    const perMs = ((maxRpm - burst + 1) * REFILL_SHARE) / 60_000;
    const [row] = await this.database.query<{ taken: number }>(TAKE_BUDGET, [burst, perMs, wanted]);
    return row?.taken ?? 0;
  }
}

/** A burst and a minute's refill together stay below the budget, however requests bunch up on their way. */
const BURST_SHARE = 0.05;
const REFILL_SHARE = 0.98;

function claimOf(row: ClaimRow): Claim {
  return {
    paymentId: row.id,
    token: row.token,
    payment: paymentOf(row),
    silentSince: row.silent_since,
    failures: row.failures,
    scheduledInMs: row.scheduled_in_ms,
  };
}

/** A look is taken as answered until silence is recorded: only then is the time of the one before needed. */
const ANSWERED_AT = `CASE WHEN s.silent_since IS NULL THEN s.polled_at ELSE s.answered_at END`;

/**
 * The array keeps the update on the primary key: from a subquery it turns into a hash join over the whole table.
 * The next due time counts from the last one, so that waiting for a claim does not stretch the interval.
 */
const CLAIM_DUE = `
  WITH claimed AS (
    UPDATE payment_schedule s
    SET token = s.token + 1, answered_at = ${ANSWERED_AT}, polled_at = now(),
      due_at = greatest(s.due_at + s.interval_ms * interval '1 millisecond', now() + $2 * interval '1 millisecond')
    WHERE s.payment_id = ANY (ARRAY(
      SELECT payment_id FROM payment_schedule WHERE due_at <= now() ORDER BY due_at LIMIT $1
      FOR UPDATE SKIP LOCKED))
    RETURNING s.payment_id, s.token, s.failures, s.silent_since,
      CASE WHEN s.interval_ms >= $2 THEN s.interval_ms END AS scheduled_in_ms
  )
  SELECT ${PAYMENT_COLUMNS}, c.token, c.failures, c.silent_since, c.scheduled_in_ms
  FROM claimed c JOIN payment p ON p.id = c.payment_id`;

/** A closed payment has no row in the schedule: it gets one for this look. */
const CLAIM_NOW = `
  INSERT INTO payment_schedule AS s (payment_id, due_at, interval_ms, urgency, token, polled_at, answered_at)
  SELECT id, now() + $3 * interval '1 millisecond', 0, 0, ${FIRST_TOKEN}, now(), last_polled_at
  FROM payment
  WHERE quote_id = $1
    AND (last_polled_at IS NULL OR last_polled_at <= now() - $2 * interval '1 millisecond')
  ON CONFLICT (payment_id) DO UPDATE
  SET token = s.token + 1, answered_at = ${ANSWERED_AT}, polled_at = now(),
    due_at = now() + $3 * interval '1 millisecond'
  WHERE s.polled_at IS NULL OR s.polled_at <= now() - $2 * interval '1 millisecond'
  RETURNING s.payment_id, s.token, s.failures, s.silent_since`;

const READ_PAYMENT = `SELECT ${PAYMENT_COLUMNS} FROM payment p WHERE p.id = $1`;

const NEXT_DUE = `
  SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS in_ms
  FROM payment_schedule ORDER BY due_at LIMIT 1`;

/** One row that refills by time: smooth within the minute, and the same for every replica. */
const TAKE_BUDGET = `
  WITH bucket AS (
    SELECT id, least($1::float8, available
      + extract(epoch FROM clock_timestamp() - refilled_at)::float8 * 1000 * $2::float8) AS available
    FROM provider_budget FOR UPDATE
  ), taken AS (
    SELECT id, available, least(floor(greatest(available, 0)), $3::float8) AS taken FROM bucket
  )
  UPDATE provider_budget b SET available = t.available - t.taken, refilled_at = clock_timestamp()
  FROM taken t WHERE b.id = t.id
  RETURNING t.taken`;
