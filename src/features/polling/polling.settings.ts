import { GAP_SPARE, type UrgencyRules } from '../../domain/polling/urgency.ts';

/** A claim outlasts its request by this: for the wait before it and the commit after it. */
const LEASE_SPARE_MS = 2_000;
const FIRST_LEASE_MS = 2_000;
const MAX_SLACK_MS = 1_000;
const MIN_SLACK_MS = 20;
/** Often enough to hold a claim of a slow request well before its first lease is over. */
export const EXTEND_EVERY_MS = 250;

/** What tracking goes by, from the configuration and the provider's limits. */
export class PollingSettings {
  /** The longest time that a claim needs: a request that takes its whole time-out fits into it. */
  readonly leaseMs: number;
  /** What a claim is held for at first: as long as requests usually take, so that the gap alone decides about the next. */
  readonly firstLeaseMs: number;
  /** A request that takes longer has its claims held for the longest time. */
  readonly slowAfterMs: number;
  /** After so long a look has been answered, or its claim is held: nobody claims its payment on top of it. */
  readonly pollMs: number;
  /** The shortest time from claim to claim: requests start a little later than claims, and not all by the same. */
  readonly claimGapMs: number;

  constructor(
    readonly urgency: UrgencyRules,
    readonly stalledAfterMs: number,
    /** Never two looks at one payment closer than this, a look on demand apart. */
    readonly minGapMs: number,
    readonly requestTimeoutMs: number,
  ) {
    this.claimGapMs = Math.ceil(minGapMs * GAP_SPARE);
    this.leaseMs = Math.max(requestTimeoutMs + LEASE_SPARE_MS, this.claimGapMs);
    this.firstLeaseMs = Math.max(Math.min(FIRST_LEASE_MS, this.leaseMs), this.claimGapMs);
    this.slowAfterMs = Math.max((this.firstLeaseMs - MAX_SLACK_MS) / 2, MIN_SLACK_MS);
    this.pollMs = this.slowAfterMs + 2 * EXTEND_EVERY_MS;
  }

  /** How long a claim may wait for its request: no longer than the time to the next look has room above the gap. */
  slackMs(nextInMs: number): number {
    return Math.min(Math.max(nextInMs - this.minGapMs, MIN_SLACK_MS), MAX_SLACK_MS);
  }
}
