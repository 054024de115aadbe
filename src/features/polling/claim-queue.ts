import { URGENCY } from '../../domain/polling/urgency.ts';
import { MAX_CLAIM_WAIT_MS } from '../../domain/polling/spacing.ts';
import type { ProviderLimits } from '../../ports/payment-provider.ts';
import type { DueClaim } from '../../ports/schedule.ts';

/** How many rounds of requests are claimed ahead at most, so that requests never wait for the database … */
const CLAIM_AHEAD = 4;
/** … and the rounds for a provider that is faster than the database, if they take no longer than money in flight can wait. */
const CLAIM_AHEAD_FAST = 12;
const FAST_MS = 30;
const MAX_QUEUED = 1_000;
/** A change takes the database far longer than a claim: payments claimed beside many changes would delay their webhooks. */
const UNCOMMITTED_WEIGHT = 2;
/** The weight of the newest request in the mean duration. */
const NEWEST = 0.1;
/** The share of the longest wait that still counts a second later. */
const KEPT_A_SECOND = 0.9;

interface Queued {
  readonly claim: DueClaim;
  readonly claimedAtMs: number;
  readonly startBy: number;
}

/** The claims for one request; empty: nothing waits. */
export interface QueuedRequest {
  readonly claims: readonly DueClaim[];
  /** The latest time to send the request: after it, the next poll of one of its payments could follow too soon. */
  readonly sendByMs: number;
}

/**
 * Queues claims for requests, money in flight first. The number of claims follows the speed of the provider. A claim that
 * waits too long is dropped, since the payment's next poll could follow too soon; the payment then waits for its next claim.
 */
export class ClaimQueue {
  private readonly urgent = new ClaimLine();
  private readonly others = new ClaimLine();
  /** How long the statements of claims take. */
  private readonly statements = new LongestOfLate();
  private meanRequestMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly limits: ProviderLimits,
    /** Returns how long a claim may wait when the next poll follows after `nextInMs`. */
    private readonly slackMs: (nextInMs: number) => number,
    private readonly pollIntervalMs: number,
  ) {}

  get size(): number {
    return this.urgent.size + this.others.size;
  }

  /**
   * How many more claims fit, with `underWay` requests in flight and `uncommitted` changes that wait for their commit; 0
   * until there is room for a worthwhile batch.
   */
  room(underWay: number, uncommitted = 0): number {
    const { maxConcurrency, batchSize } = this.limits;
    const ahead = Math.min(this.roundsAhead * maxConcurrency * batchSize, MAX_QUEUED);
    const startable = (maxConcurrency - underWay) * batchSize;
    const room = Math.min(startable + ahead, MAX_QUEUED) - this.size - UNCOMMITTED_WEIGHT * uncommitted;
    return room >= ahead / 2 ? Math.max(room, 0) : 0;
  }

  /** Returns how long claims have lately waited for their requests, from the beginning of their statements on. */
  longestWaits(nowMs: number): { readonly urgentMs: number; readonly othersMs: number } {
    const statementMs = this.statements.at(nowMs);
    const longestOf = ({ waits }: ClaimLine): number => Math.max(waits.at(nowMs), statementMs);
    return { urgentMs: longestOf(this.urgent), othersMs: longestOf(this.others) };
  }

  /** Adds the claims of a statement that began at `claimedAtMs` and ends now; perhaps none. */
  addClaims(claims: readonly DueClaim[], claimedAtMs: number, nowMs = claimedAtMs): void {
    this.statements.noteTime(nowMs - claimedAtMs, nowMs);
    for (const claim of claims) {
      const startBy = claimedAtMs + this.slackMs(claim.nextInMs);
      const line = claim.urgency === URGENCY.inFlight ? this.urgent : this.others;
      line.push({ claim, claimedAtMs, startBy });
    }
  }

  /** Takes the claims for the next request. */
  next(nowMs: number): QueuedRequest {
    const claims: DueClaim[] = [];
    let sendByMs = Number.POSITIVE_INFINITY;
    while (claims.length < this.limits.batchSize) {
      const first = this.urgent.shift(nowMs) ?? this.others.shift(nowMs);
      if (first === undefined) break;
      if (first.startBy < nowMs) continue;
      claims.push(first.claim);
      sendByMs = Math.min(sendByMs, first.startBy);
    }
    return { claims, sendByMs };
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

/** Claims in the order in which they were made, and the durations of their waits. */
class ClaimLine {
  /** The waits from the beginning of a claim's statement to its request. */
  readonly waits = new LongestOfLate();
  private waiting: Queued[] = [];

  get size(): number {
    return this.waiting.length;
  }

  push(queued: Queued): void {
    this.waiting.push(queued);
  }

  shift(nowMs: number): Queued | undefined {
    const first = this.waiting.shift();
    if (first !== undefined) this.waits.noteTime(nowMs - first.claimedAtMs, nowMs);
    return first;
  }

  clear(): void {
    this.waiting = [];
  }
}

/** The longest of the recent waits; older waits fade. */
class LongestOfLate {
  private longestMs = 0;
  private notedAtMs = 0;

  noteTime(ms: number, nowMs: number): void {
    // Waits are cut to this bound: a claim that waits longer is dropped in any case.
    this.longestMs = Math.max(this.at(nowMs), Math.min(ms, MAX_CLAIM_WAIT_MS));
    this.notedAtMs = nowMs;
  }

  at(nowMs: number): number {
    return this.longestMs * KEPT_A_SECOND ** ((nowMs - this.notedAtMs) / 1_000);
  }
}
