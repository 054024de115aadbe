import { URGENCY } from '../../domain/polling/urgency.ts';
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

interface Queued {
  readonly claim: DueClaim;
  readonly startBy: number;
}

/**
 * Queues claims for requests, money in flight first. Claims follow the speed of the provider: a claim that waits too long
 * is dropped, since the payment's next poll could follow too soon, and the payment waits for its next claim.
 */
export class ClaimQueue {
  private urgent: Queued[] = [];
  private others: Queued[] = [];
  private meanRequestMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly limits: ProviderLimits,
    /** How long a claim may wait when the next poll follows after `nextInMs`. */
    private readonly slackMs: (nextInMs: number) => number,
    private readonly pollIntervalMs: number,
  ) {}

  get size(): number {
    return this.urgent.length + this.others.length;
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

  add(claims: readonly DueClaim[], nowMs: number): void {
    for (const claim of claims) {
      const startBy = nowMs + this.slackMs(claim.nextInMs);
      const queue = claim.urgency === URGENCY.inFlight ? this.urgent : this.others;
      queue.push({ claim, startBy });
    }
  }

  /** The claims for the next request; empty when none waits. */
  next(nowMs: number): DueClaim[] {
    const batch: DueClaim[] = [];
    while (batch.length < this.limits.batchSize) {
      const first = this.urgent.shift() ?? this.others.shift();
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
    this.urgent = [];
    this.others = [];
  }

  private get roundsAhead(): number {
    const rounds = Math.floor(this.slackMs(this.pollIntervalMs) / this.meanRequestMs);
    const fastRounds = Math.min(Math.floor(FAST_MS / this.meanRequestMs), CLAIM_AHEAD_FAST);
    return Math.min(rounds, Math.max(fastRounds, CLAIM_AHEAD));
  }
}
