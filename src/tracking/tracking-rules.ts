import type { UrgencyRules } from '../domain/urgency.ts';

/** A claim outlasts its request by this: for the wait before it and the commit after it. */
const LEASE_SPARE_MS = 2_000;
const MAX_SLACK_MS = 1_000;
const MIN_SLACK_MS = 50;

/** What tracking goes by, from the configuration and the provider's limits. */
export class TrackingRules {
  /** The shortest time between two looks that a claim may write: a request must fit into it. */
  readonly leaseMs: number;
  /** How long a claim may wait for its request: no longer than the interval has room above the gap. */
  readonly slackMs: number;

  constructor(
    readonly urgency: UrgencyRules,
    readonly stalledAfterMs: number,
    /** Never two looks at one payment closer than this, a look on demand apart. */
    readonly minGapMs: number,
    readonly requestTimeoutMs: number,
  ) {
    this.leaseMs = Math.max(requestTimeoutMs + LEASE_SPARE_MS, minGapMs);
    const room = Math.max(urgency.pollIntervalMs, this.leaseMs) - minGapMs;
    this.slackMs = Math.min(Math.max(room, MIN_SLACK_MS), MAX_SLACK_MS);
  }
}
