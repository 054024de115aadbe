import { URGENCY } from '../../domain/polling/urgency.ts';
import type { ProviderLimits } from '../../ports/payment-provider.ts';
import type { DueClaim } from '../../ports/schedule.ts';

/** What is claimed ahead at most, in rounds of requests, so that the provider never waits for the database. */
const CLAIM_AHEAD = 4;
const MAX_QUEUED = 1_000;
/** The weight of the newest request in the mean duration. */
const NEWEST = 0.1;

interface Queued {
  readonly claim: DueClaim;
  readonly startBy: number;
}

/**
 * Claims that wait for a request, money in flight first. A slow provider is claimed for only as fast as it answers: a
 * claim that waits too long is left, since its next look could come too soon after it, and its payment loses its turn.
 */
export class ClaimQueue {
  private urgent: Queued[] = [];
  private others: Queued[] = [];
  private meanRequestMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly limits: ProviderLimits,
    /** How long a claim may wait that is followed by the next look after `nextInMs`. */
    private readonly slackMs: (nextInMs: number) => number,
    private readonly pollIntervalMs: number,
  ) {}

  get size(): number {
    return this.urgent.length + this.others.length;
  }

  /** How many more claims are of use now, with so many requests under way; 0 until it is worth a claim. */
  room(underWay: number): number {
    const { maxConcurrency, batchSize } = this.limits;
    const rounds = Math.floor(this.slackMs(this.pollIntervalMs) / this.meanRequestMs);
    const ahead = Math.min(Math.min(rounds, CLAIM_AHEAD) * maxConcurrency * batchSize, MAX_QUEUED);
    const startable = (maxConcurrency - underWay) * batchSize;
    const room = Math.min(startable + ahead, MAX_QUEUED) - this.size;
    return room >= ahead / 2 ? Math.max(room, 0) : 0;
  }

  add(claims: readonly DueClaim[], nowMs: number): void {
    for (const claim of claims) {
      const startBy = nowMs + this.slackMs(claim.nextInMs);
      const queue = claim.urgency === URGENCY.inFlight ? this.urgent : this.others;
      queue.push({ claim, startBy });
    }
  }

  /** The claims of the next request; none when nothing waits. */
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
}
