import { isFinal, isWatched, STATUSES } from '../../domain/payment/status.ts';
import { claimSlackMs, HINT_LASTS_MS, MADE_DUE_GAP_MS } from '../../domain/polling/spacing.ts';
import { urgencyNamed, type UrgencyName } from '../../domain/polling/urgency.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { Deliverable } from '../../ports/new-deliveries.ts';
import {
  NO_SPARE,
  Schedule,
  type Claim,
  type DueClaim,
  type Poll,
  type RecordOutcome,
  type ScheduleFigures,
  type Spread,
} from '../../ports/schedule.ts';
import { ProofSignal, type WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import { spreadOverdue } from './after-outage.ts';
import { claimDue, claimNow, claimUnanswered, holdClaims } from './claims.ts';
import type { Database } from '../connection/database.ts';
import { takeLabelTurn } from '../events/label-lock.ts';
import { FINAL } from '../payments/final.ts';
import { extendUnchanged } from './extend-unchanged.ts';
import { LowWatermarks } from './low-watermarks.ts';
import { POLL_ONCE_MORE, MAKE_DUE } from './make-due.ts';
import { readClaims } from './read-claims.ts';
import { recordPolls, type RecordedPolls } from './record-polls.ts';
import type { RecordSettings } from '../events/record-settings.ts';

type FigureRow = Omit<ScheduleFigures['open'][number], 'urgency'> & { readonly urgency: UrgencyName };

/**
 * The share of a claim's limit below which the claim counts as having taken everything that was due: of the rows found, a few
 * may have changed their urgency meanwhile.
 */
const DRAINED_SHARE = 0.5;

/** The schedule of one provider in PostgreSQL: a narrow table of its own, claimed in batches. */
export class PostgresSchedule extends Schedule {
  /** How long each urgency waits for more urgent ones. */
  private readonly slackMs: readonly number[];
  private readonly watermarks: LowWatermarks;

  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly clock: Clock,
    private readonly due: WakeSignal,
    private readonly provider: string,
    private readonly proofs = new ProofSignal(),
  ) {
    super();
    this.slackMs = claimSlackMs(rules.urgency.pollIntervalMs);
    this.watermarks = new LowWatermarks(database, provider);
  }

  async claimDue(limit: number, leaseMs: number, spare = NO_SPARE): Promise<DueClaim[]> {
    const startedAt = performance.now();
    const { fromMs } = this.watermarks;
    const order = { slackMs: this.slackMs, fromMs };
    const claims = await claimDue(this.database, this.provider, limit, { leaseMs, spare }, order);
    if (claims.length < limit * DRAINED_SHARE) this.watermarks.noteDrained(startedAt, fromMs);
    // The claim is valid even if this write fails.
    else this.watermarks.noteLeft().catch(() => undefined);
    return claims;
  }

  extendLeases(claims: readonly DueClaim[], leaseMs: number): Promise<void> {
    return this.database.withDeadlockRetry(() => holdClaims(this.database, claims, leaseMs));
  }

  read(claims: readonly DueClaim[]): Promise<Claim[]> {
    return readClaims(this.database, claims);
  }

  readAgain(claims: readonly DueClaim[]): Promise<Claim[]> {
    const quoteIds = claims.map(({ quoteId }) => quoteId);
    return this.database.transaction(async (queries) => {
      await takeLabelTurn(queries, quoteIds);
      return readClaims(queries, claims);
    });
  }

  async readyForPoll(quoteId: string, gapMs: number): Promise<'ready' | 'recent' | 'unknown'> {
    const [row] = await this.database.query<{ is_ready: boolean }>(IS_READY, [quoteId, gapMs]);
    if (row === undefined) return 'unknown';
    return row.is_ready ? 'ready' : 'recent';
  }

  async claimNow(quoteId: string, gapMs: number, leaseMs: number): Promise<Claim | 'recent' | 'unknown'> {
    // The row references the payment's row, and other transactions lock the two rows in the opposite order.
    const claim = await this.database.withDeadlockRetry(() =>
      claimNow(this.database, quoteId, gapMs, leaseMs),
    );
    if (claim !== null) return claim;
    const known = await this.database.query(`SELECT 1 FROM payment WHERE quote_id = $1`, [quoteId]);
    return known.length > 0 ? 'recent' : 'unknown';
  }

  claimUnanswered(limit: number, silentMs: number, troubledMs: number): Promise<Claim[]> {
    return claimUnanswered(this.database, this.provider, limit, silentMs, troubledMs);
  }

  async record(polls: readonly Poll[], offers: readonly LeaseOffer[]): Promise<RecordOutcome & Deliverable> {
    const now = this.clock.now();
    const written = await this.database.withDeadlockRetry(() =>
      recordPolls(this.database, this.provider, polls, this.rules, offers, now),
    );
    return this.recorded(polls, written);
  }

  extendUnchanged(polls: readonly Poll[]): Promise<void> {
    const now = this.clock.now();
    return this.database.withDeadlockRetry(() => extendUnchanged(this.database, polls, this.rules, now));
  }

  nextDueInMs(): Promise<number | null> {
    return this.watermarks.nextDueInMs();
  }

  async hint(quoteIds: readonly string[], leaseMs: number): Promise<void> {
    await this.database.query(HINT, [quoteIds, HINT_LASTS_MS, leaseMs]);
  }

  async makeDue(quoteIds: readonly string[], pollMs: number): Promise<void> {
    const rows = await this.database.withDeadlockRetry(() =>
      this.database.query<{ in_ms: number }>(MAKE_DUE, [quoteIds, pollMs, MADE_DUE_GAP_MS]),
    );
    const reopened = await this.database.query<{ in_ms: number }>(POLL_ONCE_MORE, [
      quoteIds,
      MADE_DUE_GAP_MS,
    ]);
    this.due.wakeIn(Math.min(...[...rows, ...reopened].map((row) => row.in_ms)));
  }

  spreadOverdue(): Promise<Spread> {
    return spreadOverdue(this.database, this.provider);
  }

  async figures(): Promise<ScheduleFigures> {
    const rows = await this.database.looks.query<FigureRow>(FIGURES, [NOT_ENDED, this.provider]);
    const open = rows.map((row) => ({ ...row, urgency: urgencyNamed(row.urgency) }));
    return { open, lagMs: Math.max(-((await this.nextDueInMs()) ?? 0), 0) };
  }

  private recorded(
    polls: readonly Poll[],
    { published, stored, deliveries, toProve, ...recorded }: RecordedPolls,
  ): RecordOutcome & Deliverable {
    if (stored !== null) this.database.known.noteRecorded(stored);
    if (toProve > 0) this.proofs.wake();
    this.due.wakeIn(Math.min(...polls.map((poll) => poll.next.inMs ?? Number.POSITIVE_INFINITY)));
    return { ...recorded, deliveries: published > 0 ? deliveries : null };
  }
}

/** Decides as CLAIM_NOW does. A payment without either time was never polled. */
const IS_READY = `
  SELECT coalesce(greatest(p.last_polled_at, s.polled_at) <= now() - $2 * interval '1 millisecond', true) AS is_ready
  FROM payment p LEFT JOIN payment_schedule s ON s.payment_id = p.id WHERE p.quote_id = $1`;

/** Skips locked rows: a hint is not worth a wait. Hints help awaiting payments only. */
const HINT = `
  UPDATE payment_schedule s
  SET hinted_at = now(), unchanged_until = NULL, urgency = 'attended',
    due_at = CASE WHEN s.urgency = 'attended' THEN s.due_at ELSE least(s.due_at, greatest(
      now(), s.polled_at + $3 * interval '1 millisecond',
      s.polled_at + scaled_interval(s.interval_ms, x.factor, x.up_to_ms))) END
  FROM interval_scale x
  WHERE x.provider = s.provider AND x.urgency = 'attended' AND s.payment_id = ANY (ARRAY(
    SELECT h.payment_id FROM payment_schedule h JOIN payment p ON p.id = h.payment_id
    WHERE p.quote_id = ANY ($1::text[]) AND h.urgency IN ('attended', 'unattended')
      AND (h.hinted_at IS NULL OR h.hinted_at <= now() - $2 * interval '1 millisecond')
    ORDER BY h.payment_id FOR UPDATE OF h SKIP LOCKED))`;

/**
 * Payments in statuses that are not final are few, and are read by status; the status of the others is looked up payment by
 * payment: a join would read all payments ever stored. The two-part query looks cheap to the planner, which would otherwise
 * compile it for a tenth of a second.
 */
const FIGURES = `
  WITH known AS MATERIALIZED (
    SELECT s.payment_id, s.urgency, p.status
    FROM payment_schedule s LEFT JOIN payment p ON p.id = s.payment_id AND p.status = ANY ($1::text[])
    WHERE s.provider = $2
  )
  SELECT status, urgency, count(*)::int AS payments
  FROM (
    SELECT status, urgency FROM known WHERE status IS NOT NULL
    UNION ALL
    SELECT p.status, k.urgency
    FROM known k CROSS JOIN LATERAL (SELECT status FROM payment WHERE id = k.payment_id OFFSET 0) p
    WHERE k.status IS NULL AND p.status NOT IN (${FINAL})
  ) open
  GROUP BY status, urgency`;
const NOT_ENDED = STATUSES.filter((status) => !isWatched(status) && !isFinal(status));
