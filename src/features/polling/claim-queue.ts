import { URGENCY } from '../../domain/polling/urgency.ts';
import { MAX_CLAIM_WAIT_MS } from '../../domain/polling/spacing.ts';
import type { ProviderLimits } from '../../ports/payment-provider.ts';
import type { DueClaim } from '../../ports/schedule.ts';

/** The most rounds of requests to claim ahead, so that requests never wait for the database … */
const CLAIM_AHEAD = 4;
/** … and of a provider that is faster than the database: so many, if they take no longer than money in flight can wait. */
const CLAIM_AHEAD_FAST = 12;
const FAST_MS = 30;
const MAX_QUEUED = 1_000;
/** A change takes the database far longer than a claim: what is claimed beside many would wait behind them for its webhook. */
const UNCOMMITTED_WEIGHT = 2;
/** The weight of the newest request in the mean duration. */
const NEWEST = 0.1;
/** How much of the longest wait counts after each further claim. */
const WAIT_KEPT = 0.9;

interface Queued {
  readonly claim: DueClaim;
  readonly claimedAtMs: number;
  readonly startBy: number;
}

/**
 * Queues claims for requests, money in flight first. Claims follow the speed of the provider: a claim that waits too long
 * is dropped, since the payment's next poll could follow too soon, and the payment waits for its next claim.
 */
export class ClaimQueue {
  private readonly urgent = new ClaimLine();
  private readonly others = new ClaimLine();
  /** The longest time that a claim's statement has taken of late. */
  private statementMs = 0;
  private meanRequestMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly limits: ProviderLimits,
    /** How long a claim may wait when the next poll follows after `nextInMs`. */
    private readonly slackMs: (nextInMs: number) => number,
    private readonly pollIntervalMs: number,
  ) {}

  get size(): number {
    return this.urgent.size + this.others.size;
  }

  /**
   * How many more claims fit with `underWay` requests in flight and `uncommitted` changes that wait for their commit; 0 until
   * there is room for a worthwhile batch.
   */
  room(underWay: number, uncommitted = 0): number {
    const { maxConcurrency, batchSize } = this.limits;
    const ahead = Math.min(this.roundsAhead * maxConcurrency * batchSize, MAX_QUEUED);
    const startable = (maxConcurrency - underWay) * batchSize;
    const room = Math.min(startable + ahead, MAX_QUEUED) - this.size - UNCOMMITTED_WEIGHT * uncommitted;
    return room >= ahead / 2 ? Math.max(room, 0) : 0;
  }

  /** How long claims have waited for their requests of late, from the beginning of their statements. */
  get longestWaits(): { readonly urgentMs: number; readonly othersMs: number } {
    const longestOf = ({ longestWaitMs }: ClaimLine): number => Math.max(longestWaitMs, this.statementMs);
    return { urgentMs: longestOf(this.urgent), othersMs: longestOf(this.others) };
  }

  /** What a statement has claimed, which began at `claimedAtMs` and ends now; perhaps nothing. */
  add(claims: readonly DueClaim[], claimedAtMs: number, nowMs = claimedAtMs): void {
    this.statementMs = Math.max(this.statementMs * WAIT_KEPT, nowMs - claimedAtMs);
    for (const claim of claims) {
      const startBy = claimedAtMs + this.slackMs(claim.nextInMs);
      const line = claim.urgency === URGENCY.inFlight ? this.urgent : this.others;
      line.push({ claim, claimedAtMs, startBy });
    }
  }

  /** The claims for the next request; empty when none waits. */
  next(nowMs: number): DueClaim[] {
    const batch: DueClaim[] = [];
    while (batch.length < this.limits.batchSize) {
      const first = this.urgent.shift(nowMs) ?? this.others.shift(nowMs);
      if (first === undefined) break;
      if (first.startBy >= nowMs) batch.push(first.claim);
    }
    return batch;
  }

  noteRequest(durationMs: number): void {
    const mean = Number.isFinite(this.meanRequestMs) ? this.meanRequestMs : durationMs;
    this.meanRequestMs = Math.max(mean + NEWEST * (durationMs - mean), 0.01);
  }

  clear(): void {
    this.urgent.clear();
    this.others.clear();
  }

  private get roundsAhead(): number {
    const rounds = Math.floor(this.slackMs(this.pollIntervalMs) / this.meanRequestMs);
    const fastRounds = Math.min(Math.floor(FAST_MS / this.meanRequestMs), CLAIM_AHEAD_FAST);
    return Math.min(rounds, Math.max(fastRounds, CLAIM_AHEAD));
  }
}

/** Claims in the order in which they were made, and how long they wait. */
class ClaimLine {
  private waiting: Queued[] = [];
  private longestMs = 0;
  /** Of the newest claim. */
  private claimedAtMs = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.waiting.length;
  }

  /** The longest wait of late for a request, from the beginning of the claim's statement. */
  get longestWaitMs(): number {
    return this.longestMs;
  }

  push(queued: Queued): void {
    if (queued.claimedAtMs !== this.claimedAtMs) this.longestMs *= WAIT_KEPT;
    this.claimedAtMs = queued.claimedAtMs;
    this.waiting.push(queued);
  }

  shift(nowMs: number): Queued | undefined {
    const first = this.waiting.shift();
    if (first === undefined) return undefined;
    // One that waits longer is dropped, whatever its spare: it must not count for long.
    const waitedMs = Math.min(nowMs - first.claimedAtMs, MAX_CLAIM_WAIT_MS);
    this.longestMs = Math.max(this.longestMs, waitedMs);
    return first;
  }

  clear(): void {
    this.waiting = [];
  }
}
