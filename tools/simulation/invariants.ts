import type { Payment } from '../../src/domain/payment/payment.ts';
import type { Life } from './lives.ts';
import { SlidingMinute } from './sliding-minute.ts';

/** The objects that the invariants check. */
export interface Watched {
  readonly life: Life;
  readonly payment: Payment;
  /** When the last request about the payment was sent. */
  readonly polledAt: number | null;
  readonly isClosed: boolean;
  readonly isScheduled: boolean;
}

/** The number of polls that the budget allows, and that payments demand. */
export interface Budget {
  /** Polls a second; 0 while only probes, or no requests at all, are sent. */
  readonly perSecond: number;
  /** Payments that have neither ended nor been closed. */
  readonly open: number;
  /** … and are due already: each is polled now, and once more in a round. */
  readonly overdue: number;
}

export interface InvariantRules {
  readonly maxRpm: number;
  readonly minGapMs: number;
  readonly pollIntervalMs: number;
}

const MAX_BREACHES_LISTED = 10;
/** Virtual instants are sums of fractions. */
const ROUNDING_MS = 0.001;
const STARVED_INTERVALS = 10;
/** The share of the rate that a round of all open payments may take: the rest is for the late watch and a reserve. */
const ROUND_SHARE = 0.7;
/**
 * A due payment waits for payments that became due just before it: this many polls may go first, which take a second at 200
 * requests a minute and twenty seconds at ten.
 */
const TURNS = 3;
const SHORTEST_TURNS_MS = 1_000;
const CATCH_UP_WATCHED_MS = 60_000;
const CATCH_UP_WINDOW_MS = 10_000;
const CATCH_UP_LIMIT = 1.5;

/** Watches every poll that Paybell makes, and notes where a promise is broken. */
export class Invariants {
  readonly breaches: string[] = [];
  breachCount = 0;
  /** The longest that an open payment waited for a poll while the budget allowed a round in time. */
  longestWaitMs = 0;
  /** … and at any time, outages included. */
  longestWaitOfAllMs = 0;
  /** The most requests in ten seconds after a recovery, as a multiple of the payments' demand in that time. */
  hottestCatchUp = 0;
  private readonly minute = new SlidingMinute();
  private readonly window = new SlidingMinute(CATCH_UP_WINDOW_MS);
  /** Since when the budget has allowed a timely round of all open payments; null while it does not. */
  private sufficientSince: number | null = null;
  private turnsMs = SHORTEST_TURNS_MS;
  private recovery = { at: Number.NEGATIVE_INFINITY, perSecond: 0 };

  constructor(private readonly rules: InvariantRules) {}

  polled(tracked: Watched, now: number): void {
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

  /** Sets the budget from now on. */
  budgetIs({ perSecond, open, overdue }: Budget, now: number): void {
    this.turnsMs = Math.max((TURNS * 1_000) / perSecond, SHORTEST_TURNS_MS);
    const inTime = (perSecond * ROUND_SHARE * STARVED_INTERVALS * this.rules.pollIntervalMs) / 1_000;
    if (open + overdue > inTime) this.sufficientSince = null;
    else this.sufficientSince ??= now;
  }

  /** The circuit has closed while payments demand this many polls a second. */
  recovered(perSecond: number, now: number): void {
    this.recovery = { at: now, perSecond };
  }

  /** Call it now and then, and at the end: a payment that is no longer due would otherwise never be checked. */
  check(all: readonly Watched[], now: number): void {
    for (const tracked of all) {
      if (tracked.isClosed) continue;
      if (!tracked.isScheduled) this.breach(`due: payment ${tracked.life.id} has no next poll`, now);
      this.waited(tracked, now);
    }
  }

  breach(what: string, now: number): void {
    this.breachCount++;
    if (this.breaches.length < MAX_BREACHES_LISTED)
      this.breaches.push(`${what}, at ${(now / 1_000).toFixed(1)} s`);
  }

  private waited(tracked: Watched, now: number): void {
    if (tracked.payment.tracking !== 'active') return;
    const since = tracked.polledAt ?? tracked.life.createdAt;
    const waitMs = now - Math.max(since, tracked.payment.progressAt.getTime());
    this.longestWaitOfAllMs = Math.max(this.longestWaitOfAllMs, waitMs);
    if (this.sufficientSince === null || since < this.sufficientSince) return;
    this.longestWaitMs = Math.max(this.longestWaitMs, waitMs);
    if (waitMs > STARVED_INTERVALS * this.rules.pollIntervalMs + this.turnsMs)
      this.breach(`starved: payment ${tracked.life.id} for ${(waitMs / 1_000).toFixed(1)} s`, now);
  }

  private catchesUp(now: number): void {
    const { at, perSecond } = this.recovery;
    if (now > at + CATCH_UP_WATCHED_MS || at < 0) return;
    const usual = Math.max((perSecond * CATCH_UP_WINDOW_MS) / 1_000, 10);
    const share = this.window.count(now) / usual;
    this.hottestCatchUp = Math.max(this.hottestCatchUp, share);
    if (share > CATCH_UP_LIMIT) this.breach(`catch-up: ${share.toFixed(2)} times the usual rate`, now);
  }
}
