import type { UrgencyRules } from '../domain/urgency.ts';

/** A claim outlasts its request by this. */
const LEASE_SPARE_MS = 1_000;

/** What tracking goes by, from the configuration and the provider's limits. */
export class TrackingRules {
  /** The shortest time between two looks that a claim may write: a request must fit into it. */
  readonly leaseMs: number;

  constructor(
    readonly urgency: UrgencyRules,
    readonly stalledAfterMs: number,
    /** Never two looks at one payment closer than this, a look on demand apart. */
    readonly minGapMs: number,
    readonly requestTimeoutMs: number,
  ) {
    this.leaseMs = Math.max(requestTimeoutMs + LEASE_SPARE_MS, minGapMs);
  }
}
