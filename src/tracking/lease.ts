import type { TrackingRules } from './tracking-rules.ts';

/** Each request lets the longest one be forgotten by this much. */
const FORGOTTEN = 0.01;
const TIMES_LONGEST = 2;
/** For the wait before the request and the commit after it. */
const SPARE_MS = 1_000;

/**
 * How long a claim is held: as long as requests have lately taken, twice over. A short lease lets a payment be looked
 * at again as soon as the gap allows, without a second write; one that proves too short grows with the next answer.
 */
export class Lease {
  private longestMs: number;

  constructor(private readonly rules: TrackingRules) {
    this.longestMs = rules.requestTimeoutMs;
  }

  get ms(): number {
    const { claimGapMs, leaseMs } = this.rules;
    return Math.max(claimGapMs, Math.min(SPARE_MS + TIMES_LONGEST * this.longestMs, leaseMs));
  }

  noteRequest(durationMs: number): void {
    this.longestMs = Math.max(durationMs, this.longestMs * (1 - FORGOTTEN));
  }
}
