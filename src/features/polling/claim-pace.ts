/** A claim of few payments costs nearly as much as one of so many. */
const WORTHWHILE = 200;
/** The longest time for which due payments are collected: their polls are late by half of it on average. */
const COLLECT_UP_TO_MS = 60;

/**
 * How long due payments are collected before the next claim: until it is worthwhile at the rate at which the last one found
 * them. Replicas that share the payments find fewer each, and claim less often.
 */
export class ClaimPace {
  private claimedAt = Number.NEGATIVE_INFINITY;
  private sinceLastMs = 0;

  constructor(private readonly leastMs: number) {}

  noteClaim(nowMs: number): void {
    this.sinceLastMs = nowMs - this.claimedAt;
    this.claimedAt = nowMs;
  }

  /** After a claim that left nothing due: until the next one. */
  collectMs(claimed: number): number {
    if (claimed === 0) return COLLECT_UP_TO_MS;
    const wantedMs = (WORTHWHILE / claimed) * this.sinceLastMs;
    return Math.min(Math.max(wantedMs, this.leastMs), COLLECT_UP_TO_MS);
  }
}
