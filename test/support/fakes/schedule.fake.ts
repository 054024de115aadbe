import { URGENCY } from '../../../src/domain/polling/urgency.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import {
  Schedule,
  type Claim,
  type DueClaim,
  type Poll,
  type Recorded,
  type ScheduleFigures,
} from '../../../src/ports/schedule.ts';
import type { FakePayments, FakeRow } from './payments.fake.ts';

/** The schedule of FakePayments, with one token for each claim. */
export class FakeSchedule extends Schedule {
  readonly hinted: string[] = [];
  readonly madeDue: string[] = [];
  private sinceMs({ lastPolledAt }: FakeRow): number {
    return this.clock.now().getTime() - (lastPolledAt?.getTime() ?? Number.NEGATIVE_INFINITY);
  }

  private readonly tokens = new Map<string, number>();
  private readonly silences = new Map<string, { since: Date; failures: number }>();

  constructor(
    private readonly payments: FakePayments,
    private readonly clock: Clock,
  ) {
    super();
  }

  async claimDue(limit: number, leaseMs: number): Promise<Claim[]> {
    const now = this.clock.now();
    const isDue = ({ nextPollAt }: FakeRow): boolean => nextPollAt !== null && nextPollAt <= now;
    const due = [...this.payments.rows.values()].filter(isDue);
    const longestFirst = due.toSorted((a, b) => Number(a.nextPollAt) - Number(b.nextPollAt));
    return longestFirst.slice(0, limit).map((row) => this.claim(row, leaseMs));
  }

  async readyForPoll(quoteId: string, gapMs: number): Promise<'ready' | 'recent' | 'unknown'> {
    const row = this.payments.rows.get(quoteId);
    if (row === undefined) return 'unknown';
    return this.sinceMs(row) < gapMs ? 'recent' : 'ready';
  }

  async claimNow(quoteId: string, gapMs: number, leaseMs: number): Promise<Claim | 'recent' | 'unknown'> {
    const row = this.payments.rows.get(quoteId);
    if (row === undefined) return 'unknown';
    return this.sinceMs(row) < gapMs ? 'recent' : this.claim(row, leaseMs);
  }

  async record(polls: readonly Poll[]): Promise<Recorded> {
    let overtaken = 0;
    for (const { claim, payment, events, report, next, isSilent } of polls) {
      const row = this.payments.rows.get(claim.paymentId);
      if (row === undefined || String(this.tokens.get(claim.paymentId)) !== claim.token) {
        overtaken += 1;
        continue;
      }
      const silence = { since: claim.silentSince ?? this.clock.now(), failures: claim.failures + 1 };
      if (isSilent) this.silences.set(claim.paymentId, silence);
      else this.silences.delete(claim.paymentId);
      this.payments.record(row, { payment, events, report });
      row.nextPollAt = next.inMs === null ? null : new Date(this.clock.now().getTime() + next.inMs);
    }
    return { stale: overtaken, outdated: [] };
  }

  async recordAgain(
    claims: readonly DueClaim[],
    judge: (claims: readonly Claim[]) => readonly Poll[],
  ): Promise<Recorded> {
    return this.record(judge(await this.read(claims)));
  }

  async read(claims: readonly DueClaim[]): Promise<Claim[]> {
    return claims.flatMap((claim) => {
      const row = this.payments.rows.get(claim.paymentId);
      return row === undefined ? [] : [{ ...claim, payment: row.payment }];
    });
  }

  async extendLeases(): Promise<void> {}

  async claimUnanswered(): Promise<Claim[]> {
    return [];
  }

  async hint(quoteIds: readonly string[]): Promise<void> {
    this.hinted.push(...quoteIds);
  }

  async makeDue(quoteIds: readonly string[]): Promise<void> {
    this.madeDue.push(...quoteIds);
    for (const quoteId of quoteIds) {
      const row = this.payments.rows.get(quoteId);
      if (row !== undefined && row.nextPollAt !== null) row.nextPollAt = this.clock.now();
    }
  }

  async figures(): Promise<ScheduleFigures> {
    return { open: [], lagMs: 0 };
  }

  async nextDueInMs(): Promise<number | null> {
    const dues = [...this.payments.rows.values()].flatMap(({ nextPollAt }) => nextPollAt?.getTime() ?? []);
    return dues.length === 0 ? null : Math.min(...dues) - this.clock.now().getTime();
  }

  private claim(row: FakeRow, leaseMs: number): Claim {
    const { payment } = row;
    const now = this.clock.now();
    const silence = this.silences.get(payment.quoteId);
    const token = 1 + (this.tokens.get(payment.quoteId) ?? 0);
    this.tokens.set(payment.quoteId, token);
    Object.assign(row, { lastPolledAt: now, nextPollAt: new Date(now.getTime() + leaseMs) });
    return {
      paymentId: payment.quoteId,
      quoteId: payment.quoteId,
      knownDigest: null,
      token: String(token),
      payment,
      silentSince: silence?.since ?? null,
      failures: silence?.failures ?? 0,
      scheduledInMs: null,
      nextInMs: leaseMs,
      urgency: URGENCY.unattended,
      hintedAt: null,
      answeredAgoMs: null,
    };
  }
}
