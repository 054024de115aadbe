import type { Tracked } from './simulated-schedule.ts';
import { SlidingMinute } from './sliding-minute.ts';

export interface InvariantRules {
  readonly maxRpm: number;
  readonly minGapMs: number;
  readonly pollIntervalMs: number;
}

const MAX_BREACHES_TOLD = 10;
/** Virtual instants are sums of fractions. */
const ROUNDING_MS = 0.001;
const STARVED_INTERVALS = 10;
/** Of the pace, what a round of all open payments may take: the rest is kept free, and the late watch's. */
const ROUND_SHARE = 0.7;
/** A payment that is due has to wait for others that are due at the same moment. */
const TURN_MS = 1_000;
const CATCH_UP_WATCHED_MS = 60_000;
const CATCH_UP_WINDOW_MS = 10_000;
const CATCH_UP_LIMIT = 1.5;

/** Watches every look that Paybell makes, and notes where a promise is broken. */
export class Invariants {
  readonly breaches: string[] = [];
  breachCount = 0;
  /** The longest that an open payment waited for a look while the budget allowed a round in time. */
  longestWaitMs = 0;
  /** … and at any other time, outages included. */
  longestWaitOfAllMs = 0;
  /** The most requests in ten seconds after a recovery, of what the payments want in that time. */
  hottestCatchUp = 0;
  private readonly minute = new SlidingMinute();
  private readonly window = new SlidingMinute(CATCH_UP_WINDOW_MS);
  /** Since when the budget has allowed a round of all open payments in time; null while it does not. */
  private sufficientSince: number | null = null;
  private replay = { at: Number.NEGATIVE_INFINITY, perSecond: 0 };

  constructor(private readonly rules: InvariantRules) {}

  polled(tracked: Tracked, now: number): void {
    this.minute.add(now);
    this.window.add(now);
    const inMinute = this.minute.count(now);
    const { maxRpm, minGapMs } = this.rules;
    if (maxRpm > 0 && inMinute > maxRpm) this.breach(`budget: ${inMinute} requests in the minute to`, now);
    const gapMs = tracked.polledAt === null ? Number.POSITIVE_INFINITY : now - tracked.polledAt;
    if (gapMs < minGapMs - ROUNDING_MS)
      this.breach(`gap: payment ${tracked.life.id} again after ${gapMs} ms`, now);
    this.catchesUp(now);
    this.waited(tracked, now);
  }

  /** The looks a second that may be made, and how many payments are open, as they are from now on. */
  budgetIs(perSecond: number, open: number, now: number): void {
    const inTime = (perSecond * ROUND_SHARE * STARVED_INTERVALS * this.rules.pollIntervalMs) / 1_000;
    if (open > inTime) this.sufficientSince = null;
    else this.sufficientSince ??= now;
  }

  /** The provider works again, and the payments want so many looks a second. */
  recovered(now: number, perSecond: number): void {
    this.replay = { at: now, perSecond };
  }

  /** To be called now and then, and at the end: what is not due any more would never be seen otherwise. */
  check(all: readonly Tracked[], now: number): void {
    for (const tracked of all) {
      if (tracked.isClosed) continue;
      if (!Number.isFinite(tracked.dueAt))
        this.breach(`due: payment ${tracked.life.id} has no next look`, now);
      this.waited(tracked, now);
    }
  }

  breach(what: string, now: number): void {
    this.breachCount++;
    if (this.breaches.length < MAX_BREACHES_TOLD)
      this.breaches.push(`${what}, at ${(now / 1_000).toFixed(1)} s`);
  }

  private waited(tracked: Tracked, now: number): void {
    if (tracked.payment.tracking !== 'active') return;
    const since = tracked.polledAt ?? tracked.life.createdAt;
    const waitMs = now - Math.max(since, tracked.payment.progressAt.getTime());
    this.longestWaitOfAllMs = Math.max(this.longestWaitOfAllMs, waitMs);
    if (this.sufficientSince === null || since < this.sufficientSince) return;
    this.longestWaitMs = Math.max(this.longestWaitMs, waitMs);
    if (waitMs > STARVED_INTERVALS * this.rules.pollIntervalMs + TURN_MS)
      this.breach(`starved: payment ${tracked.life.id} for ${(waitMs / 1_000).toFixed(1)} s`, now);
  }

  private catchesUp(now: number): void {
    const { at, perSecond } = this.replay;
    if (now > at + CATCH_UP_WATCHED_MS || at < 0) return;
    const usual = Math.max((perSecond * CATCH_UP_WINDOW_MS) / 1_000, 10);
    const share = this.window.count(now) / usual;
    this.hottestCatchUp = Math.max(this.hottestCatchUp, share);
    if (share > CATCH_UP_LIMIT) this.breach(`catch-up: ${share.toFixed(2)} times the usual rate`, now);
  }
}
