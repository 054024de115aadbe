import { sparesPolls, unchangedUntil } from '../../../src/domain/polling/unchanged.ts';
import { pollBy } from '../../../src/domain/polling/due-by.ts';
import { NO_SCALE, type IntervalScale } from '../../../src/domain/polling/interval-scale.ts';
import {
  claimSlackMs,
  FIRST_POLL_SPREAD,
  HINT_LASTS_MS,
  scaleUpToMs,
  SHRUNK_SHARE,
} from '../../../src/domain/polling/spacing.ts';
import { nextPoll, URGENCY, type UrgencyClass } from '../../../src/domain/polling/urgency.ts';
import { urgencyRules } from '../../../src/domain/polling/urgency-rules.ts';
import { WakeSignal } from '../../../src/platform/scheduling/wake-signal.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { type Deliverable, NO_OFFERS } from '../../../src/ports/new-deliveries.ts';
import type { OpenDemand } from '../../../src/ports/provider-rate-limit.ts';
import {
  NO_SPARE,
  Schedule,
  type Claim,
  type ClaimSpare,
  type DueClaim,
  type Poll,
  type RecordOutcome,
  type ScheduleFigures,
  type Spread,
} from '../../../src/ports/schedule.ts';
import { DueQueue } from './due-queue.ts';
import { deliverableAs, type FakePayments, type FakeRow } from './payments.fake.ts';
import { dueAfterClaim, dueAfterOutage, firstPollInMs, latestPoll, scaledMs } from '../schedule-rules.ts';

/** A row of payment_schedule. Instants are milliseconds of the clock. */
export interface ScheduleRow {
  readonly quoteId: string;
  dueAt: number;
  intervalMs: number;
  urgency: UrgencyClass;
  token: number;
  polledAt: number | null;
  answeredAt: number | null;
  silentSince: number | null;
  failures: number;
  hintedAt: number | null;
  unchangedUntil: number | null;
  reportDigest: string;
  pollBy: number | null;
}

/** The rules with default settings. */
const RULES = {
  stalledAfterMs: 900_000,
  ...urgencyRules({
    pollIntervalMs: 7_000,
    pollMinGapMs: 5_000,
    lateWatchMs: 86_400_000,
    stalledAfterMs: 900_000,
    speed: 1,
  }),
};
const NEVER = Number.NEGATIVE_INFINITY;
/** How long record_polls gives the process that judges an outdated poll anew. */
const JUDGED_ANEW_MS = 5_000;
const MAX_FAILURES = 10_000;

/**
 * The schedule in memory, over FakePayments and the domain's rules, without notices. Passes the same contract suite as
 * PostgreSQL's.
 */
export class FakeSchedule extends Schedule {
  readonly rows = new Map<string, ScheduleRow>();
  readonly inFlightMs = RULES.inFlightMs;
  scale: IntervalScale = NO_SCALE;
  private readonly queue = new DueQueue<ScheduleRow>((row) => this.rowOf(row.quoteId) === row);
  private readonly slackMs = claimSlackMs(RULES.pollIntervalMs);
  private readonly upToMs = scaleUpToMs(RULES);
  private tokens = 0;

  constructor(
    private readonly payments: FakePayments,
    private readonly clock: Clock,
    private readonly due: WakeSignal = new WakeSignal(),
    /** Returns a number from 0 to 1, which spreads polls. */
    private readonly random: () => number = () => 0,
  ) {
    super();
    payments.onAdded = (payment) => this.add(payment);
  }

  async claimDue(limit: number, leaseMs: number, spare = NO_SPARE): Promise<DueClaim[]> {
    const now = this.now();
    const claims: DueClaim[] = [];
    while (claims.length < limit) {
      const row = this.queue.takeDue(now, this.slackMs);
      if (row === null) break;
      claims.push(this.claim(row, leaseMs, spare, now));
    }
    return claims;
  }

  async extendLeases(claims: readonly DueClaim[], leaseMs: number): Promise<void> {
    for (const claim of claims) {
      const row = this.claimedRow(claim);
      if (row !== undefined) this.move(row, { dueAt: Math.max(row.dueAt, this.now() + leaseMs) });
    }
  }

  async read(claims: readonly DueClaim[]): Promise<Claim[]> {
    return claims.flatMap((claim) => {
      const stored = this.payments.rows.get(claim.quoteId);
      return stored === undefined ? [] : [withPayment(claim, stored)];
    });
  }

  readAgain(claims: readonly DueClaim[]): Promise<Claim[]> {
    return this.read(claims);
  }

  async readyForPoll(quoteId: string, gapMs: number): Promise<'ready' | 'recent' | 'unknown'> {
    const stored = this.payments.rows.get(quoteId);
    if (stored === undefined) return 'unknown';
    const polledAt = this.rowOf(quoteId)?.polledAt ?? NEVER;
    const lastAt = Math.max(polledAt, stored.lastPolledAt?.getTime() ?? NEVER);
    return this.now() - lastAt < gapMs ? 'recent' : 'ready';
  }

  async claimNow(quoteId: string, gapMs: number, leaseMs: number): Promise<Claim | 'recent' | 'unknown'> {
    const ready = await this.readyForPoll(quoteId, gapMs);
    const stored = this.payments.rows.get(quoteId);
    if (ready !== 'ready' || stored === undefined) return ready === 'ready' ? 'unknown' : ready;
    const now = this.now();
    const row = this.rowOf(quoteId) ?? this.reopen(stored);
    this.polled(row, now);
    this.move(row, { dueAt: now + leaseMs });
    return withPayment(this.claimOf(row, now), stored);
  }

  async claimUnanswered(limit: number, silentMs: number, troubledMs: number): Promise<Claim[]> {
    const now = this.now();
    const unanswered = [...this.scheduled()].filter(({ quoteId, dueAt, silentSince }) => {
      const since = Math.min(silentSince ?? Number.POSITIVE_INFINITY, Math.max(dueAt, now - troubledMs));
      const payment = this.payments.rows.get(quoteId)?.payment;
      const isLeft = payment?.status === 'COMPLETED' || payment?.stalls.includes('provider_silent');
      return dueAt <= now && isLeft !== true && since <= now - silentMs;
    });
    const claims = unanswered.slice(0, limit).map((row) => {
      row.token = ++this.tokens;
      const since = new Date(row.silentSince ?? row.polledAt ?? row.dueAt);
      return { ...this.claimOf(row, now), silentSince: since };
    });
    return this.read(claims);
  }

  async record(polls: readonly Poll[], offers = NO_OFFERS): Promise<RecordOutcome & Deliverable> {
    const outdated: Poll[] = [];
    let stale = 0;
    for (const poll of polls) {
      const row = this.claimedRow(poll.claim);
      if (row === undefined) stale += 1;
      else if (!this.recordPoll(row, poll)) outdated.push(poll);
    }
    this.due.wakeIn(Math.min(...polls.map(({ next }) => next.inMs ?? Number.POSITIVE_INFINITY)));
    return { stale, outdated, ...deliverableAs(offers) };
  }

  async extendUnchanged(polls: readonly Poll[]): Promise<void> {
    const now = this.clock.now();
    for (const { claim, payment, next, judgedAt } of polls) {
      const row = this.claimedRow(claim);
      if (row === undefined || (row.hintedAt ?? NEVER) > (row.polledAt ?? NEVER)) continue;
      const until = unchangedUntil(payment, judgedAt, RULES, claim.hintedAt);
      const isSpared = claim.knownDigest === null && sparesPolls(until, now, claim.nextInMs);
      if (next.urgency === claim.urgency && !isSpared) continue;
      row.unchangedUntil = until?.getTime() ?? null;
      this.move(row, { dueAt: row.dueAt, urgency: next.urgency });
    }
  }

  async nextDueInMs(): Promise<number | null> {
    const { firstDueAt } = this.queue;
    return Number.isFinite(firstDueAt) ? firstDueAt - this.now() : null;
  }

  async hint(quoteIds: readonly string[], leaseMs: number): Promise<void> {
    const now = this.now();
    for (const row of this.rowsOf(quoteIds)) {
      const isAwaiting = row.urgency === URGENCY.attended || row.urgency === URGENCY.unattended;
      if (!isAwaiting || (row.hintedAt ?? NEVER) > now - HINT_LASTS_MS) continue;
      const { polledAt, urgency } = row;
      const waitMs = Math.max(leaseMs, this.scaled(row.intervalMs, URGENCY.attended));
      const soonest = Math.max(now, (polledAt ?? NEVER) + waitMs);
      const dueAt = urgency === URGENCY.attended ? row.dueAt : Math.min(row.dueAt, soonest);
      Object.assign(row, { hintedAt: now, unchangedUntil: null });
      this.move(row, { dueAt, urgency: URGENCY.attended });
    }
  }

  /** Only PostgreSQL knows notices of a provider. */
  async makeDue(_quoteIds: readonly string[], _pollMs: number): Promise<void> {}

  async spreadOverdue(): Promise<Spread> {
    const now = this.now();
    const late = [...this.scheduled()].filter(({ dueAt }) => dueAt <= now);
    const outageMs = now - Math.min(...late.map(({ dueAt }) => dueAt));
    for (const row of late) {
      const scaledInMs = this.scaled(row.intervalMs, row.urgency);
      const spreadAt = dueAfterOutage(now, scaledInMs, outageMs, this.random());
      this.move(row, { dueAt: Math.min(spreadAt, latest(row.pollBy, now, row.intervalMs)) });
    }
    return { payments: late.length, withinMs: Math.max(0, ...late.map(({ dueAt }) => dueAt - now)) };
  }

  async figures(): Promise<ScheduleFigures> {
    const open = new Map<string, ScheduleFigures['open'][number]>();
    for (const { quoteId, urgency } of this.scheduled()) {
      const status = this.payments.rows.get(quoteId)?.payment.status ?? 'AWAITING_DEPOSIT';
      if (status === 'COMPLETED') continue;
      const payments = (open.get(`${status} ${urgency}`)?.payments ?? 0) + 1;
      open.set(`${status} ${urgency}`, { status, urgency, payments });
    }
    return { open: [...open.values()], lagMs: Math.max(-((await this.nextDueInMs()) ?? 0), 0) };
  }

  /** The answers of ProviderRateLimit about the schedule. */
  demand(): OpenDemand[] {
    const now = this.now();
    const classes = new Map<UrgencyClass, { payments: number; perSecond: number; overdue: number }>();
    for (const { quoteId, urgency, intervalMs, dueAt } of this.rows.values()) {
      if (intervalMs === 0 || !this.payments.rows.has(quoteId)) continue;
      const sum = classes.get(urgency) ?? { payments: 0, perSecond: 0, overdue: 0 };
      sum.payments += 1;
      sum.perSecond += 1_000 / intervalMs;
      if (dueAt <= now) sum.overdue += 1;
      classes.set(urgency, sum);
    }
    return [...classes].map(([urgency, sum]) => ({ urgency, ...sum, putOff: 0 }));
  }

  setScale(scale: IntervalScale, leaseMs: number): void {
    const now = this.now();
    const shrunkBy = scale.map((factor, urgency) => factor / (this.scale[urgency] ?? 1));
    this.scale = scale.every((factor) => factor === 1) ? NO_SCALE : scale;
    if (shrunkBy.every((share) => share >= SHRUNK_SHARE)) return;
    for (const row of this.scheduled()) {
      const share = shrunkBy[row.urgency] ?? 1;
      if (share >= SHRUNK_SHARE || row.dueAt <= now + row.intervalMs) continue;
      const polledAt = row.polledAt ?? NEVER;
      const soonest = polledAt + Math.max(leaseMs, this.scaled(row.intervalMs, row.urgency));
      const dueAt = Math.min(row.dueAt, Math.max(now + (row.dueAt - now) * share, soonest));
      this.move(row, { dueAt });
    }
  }

  /** The failures were the provider's. */
  heal(leaseMs: number): void {
    const now = this.now();
    for (const row of this.scheduled()) {
      if (row.failures === 0) continue;
      row.failures = 0;
      const soon = now + this.random() * RULES.pollIntervalMs;
      const dueAt = Math.min(row.dueAt, Math.max(soon, (row.polledAt ?? NEVER) + leaseMs));
      this.move(row, { dueAt });
    }
  }

  /** For tests: changes the row from now on. */
  change(quoteId: string, to: Partial<ScheduleRow>): void {
    const row = this.rowOf(quoteId);
    if (row === undefined) throw new Error(`${quoteId} is not scheduled`);
    Object.assign(row, to);
    this.move(row, row);
  }

  /** Does the same as add_payments. */
  private add(stored: FakeRow): void {
    const { payment } = stored;
    const now = this.now();
    const { inMs, urgency } = nextPoll(payment, this.clock.now(), RULES);
    if (inMs === null) return;
    // A report that came with its quote was not polled.
    const isPolled = stored.quoteText === null && stored.reportText !== null;
    const spread = isPolled ? 0 : FIRST_POLL_SPREAD * this.random();
    const by = pollBy(payment, RULES)?.getTime() ?? null;
    const row = this.insert(payment.quoteId, isPolled ? now : null, {
      intervalMs: inMs,
      urgency,
      pollBy: by,
      reportDigest: payment.reportDigest,
    });
    const firstAt = now + firstPollInMs(inMs, this.scaled(inMs, urgency), spread);
    const gapEndsAt = isPolled ? now + RULES.gapMs : NEVER;
    this.move(row, { dueAt: Math.max(Math.min(firstAt, latest(by, now, inMs)), gapEndsAt) });
    this.due.wakeIn(inMs * (1 + spread));
  }

  /** Gives a closed payment, which has no row, a row for one more poll. */
  private reopen({ payment, lastPolledAt }: FakeRow): ScheduleRow {
    const polledAt = lastPolledAt?.getTime() ?? null;
    const row = this.insert(payment.quoteId, polledAt, { reportDigest: payment.reportDigest });
    row.answeredAt = polledAt;
    return row;
  }

  private insert(quoteId: string, polledAt: number | null, more: Partial<ScheduleRow>): ScheduleRow {
    const row: ScheduleRow = {
      quoteId,
      dueAt: 0,
      intervalMs: 0,
      urgency: URGENCY.watching,
      token: ++this.tokens,
      polledAt,
      answeredAt: null,
      silentSince: null,
      failures: 0,
      hintedAt: null,
      unchangedUntil: null,
      reportDigest: '',
      pollBy: null,
      ...more,
    };
    this.rows.set(quoteId, row);
    return row;
  }

  private claim(row: ScheduleRow, leaseMs: number, spare: ClaimSpare, now: number): DueClaim {
    const scaledInMs = this.scaled(row.intervalMs, row.urgency);
    const nextAt = dueAfterClaim(row.dueAt, now, scaledInMs, row.urgency, this.random());
    const byAt = latest(row.pollBy, now, row.intervalMs);
    this.polled(row, now);
    const spareMs = row.urgency === URGENCY.inFlight ? spare.urgentMs : spare.othersMs;
    const leasedUntil = now + leaseMs + spareMs;
    const isWatching = row.urgency === URGENCY.watching;
    this.move(row, { dueAt: isWatching ? leasedUntil : Math.max(Math.min(nextAt, byAt), leasedUntil) });
    const isUsual = !isWatching && scaledInMs >= leaseMs;
    const isUnchanged = (row.unchangedUntil ?? NEVER) > now && row.failures === 0 && row.silentSince === null;
    return {
      ...this.claimOf(row, now),
      scheduledInMs: isUsual ? row.intervalMs : null,
      knownDigest: isUsual && isUnchanged ? row.reportDigest : null,
    };
  }

  /** A poll counts as answered until silence is recorded; only then the time of the earlier answer is needed. */
  private polled(row: ScheduleRow, now: number): void {
    if (row.silentSince === null) row.answeredAt = row.polledAt;
    row.polledAt = now;
    row.token = ++this.tokens;
  }

  private claimOf(row: ScheduleRow, now: number): DueClaim {
    return {
      paymentId: row.quoteId,
      quoteId: row.quoteId,
      token: String(row.token),
      knownDigest: null,
      storedDigest: row.reportDigest,
      silentSince: row.silentSince === null ? null : new Date(row.silentSince),
      failures: row.failures,
      scheduledInMs: null,
      nextInMs: row.dueAt - now,
      urgency: row.urgency,
      hintedAt: row.hintedAt === null ? null : new Date(row.hintedAt),
      answeredAgoMs: row.answeredAt === null ? null : now - row.answeredAt,
    };
  }

  /** False: the payment has changed since it was read, and nothing of the poll was written. */
  private recordPoll(row: ScheduleRow, poll: Poll): boolean {
    const { claim, payment, events, report, next } = poll;
    this.reschedule(row, poll);
    const isChange = events.length > 0 || report !== null || payment !== claim.payment;
    const stored = this.payments.rows.get(row.quoteId) as FakeRow;
    const isOutdated = isChange && stored.payment.sequence !== claim.payment.sequence;
    if (isOutdated) {
      row.unchangedUntil = null;
      const gapEndsAt = (row.polledAt ?? NEVER) + RULES.gapMs;
      this.move(row, { dueAt: Math.max(this.now() + JUDGED_ANEW_MS, gapEndsAt) });
      return false;
    }
    if (isChange) this.payments.record(stored, { payment, events, report });
    if (next.inMs === null) this.close(row, stored);
    return true;
  }

  private reschedule(
    row: ScheduleRow,
    { payment, next, isSilent, isCharged, claim, askedAgoMs }: Poll,
  ): void {
    const now = this.now();
    const intervalMs = next.inMs === null ? null : Math.max(next.inMs, RULES.gapMs);
    const inMs = intervalMs ?? 0;
    const by = pollBy(payment, RULES)?.getTime() ?? null;
    const askedAt = now - askedAgoMs;
    const wantedAt = Math.min(askedAt + this.scaled(inMs, next.urgency), latest(by, now, inMs));
    const until = isSilent ? null : unchangedUntil(payment, this.clock.now(), RULES, claim.hintedAt);
    Object.assign(row, {
      pollBy: by,
      unchangedUntil: until?.getTime() ?? null,
      reportDigest: payment.reportDigest,
      intervalMs: intervalMs ?? row.intervalMs,
      silentSince: isSilent ? (row.silentSince ?? row.polledAt) : null,
      answeredAt: isSilent ? row.answeredAt : row.polledAt,
      failures: isSilent ? Math.min(row.failures + Number(isCharged), MAX_FAILURES) : 0,
    });
    this.move(row, { dueAt: Math.max(now, wantedAt, askedAt + inMs), urgency: next.urgency });
  }

  private close(row: ScheduleRow, stored: FakeRow): void {
    this.rows.delete(row.quoteId);
    const lastPolledAt = row.polledAt === null ? null : new Date(row.polledAt);
    const payment = { ...stored.payment, tracking: 'closed' as const };
    Object.assign(stored, { payment, lastPolledAt, nextPollAt: null });
  }

  private move(row: ScheduleRow, to: { readonly dueAt: number; readonly urgency?: UrgencyClass }): void {
    Object.assign(row, to);
    this.queue.place(row);
    const stored = this.payments.rows.get(row.quoteId);
    if (stored === undefined) return;
    stored.lastPolledAt = row.polledAt === null ? null : new Date(row.polledAt);
    stored.nextPollAt = stored.payment.tracking === 'closed' ? null : new Date(row.dueAt);
  }

  private *scheduled(): Generator<ScheduleRow> {
    for (const row of this.rows.values()) if (this.payments.rows.has(row.quoteId)) yield row;
  }

  private rowsOf(quoteIds: readonly string[]): ScheduleRow[] {
    return [...new Set(quoteIds)].flatMap((quoteId) => this.rowOf(quoteId) ?? []);
  }

  private rowOf(quoteId: string): ScheduleRow | undefined {
    return this.payments.rows.has(quoteId) ? this.rows.get(quoteId) : undefined;
  }

  /** The row of the claim. Undefined: another claim has taken the payment over, or it is no longer scheduled. */
  private claimedRow({ quoteId, token }: DueClaim): ScheduleRow | undefined {
    const row = this.rowOf(quoteId);
    return row !== undefined && String(row.token) === token ? row : undefined;
  }

  private scaled(inMs: number, urgency: UrgencyClass): number {
    return scaledMs(inMs, urgency, this.scale, this.upToMs);
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function withPayment(claim: DueClaim, { payment, reportText }: FakeRow): Claim {
  const completedReport = payment.status === 'COMPLETED' ? reportText : null;
  return { ...claim, payment, completedReport, verification: null };
}

function latest(by: number | null, now: number, intervalMs: number): number {
  return by === null ? Number.POSITIVE_INFINITY : latestPoll(by, now, intervalMs);
}
