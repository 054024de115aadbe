/** How long, and how often, an address may ask. */
export interface Limits {
  /** More 404s than this within a minute lock the address out. */
  readonly notFoundPerMinute: number;
  readonly lockMs: number;
  /** Channels that are open for one destination address and pair. */
  readonly channelsPerAddress: number;
}

export const USUAL: Limits = { notFoundPerMinute: 10, lockMs: 600_000, channelsPerAddress: 25 };

const MINUTE_MS = 60_000;

/** Counts the 404s to `/v2/swaps`; the stand-in has one client address, ours. */
export class NotFoundLock {
  private at: number[] = [];
  private lockedUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly limits: Limits) {}

  isLocked(now: number): boolean {
    return now < this.lockedUntil;
  }

  note(now: number): void {
    this.at = [...this.at.filter((each) => each > now - MINUTE_MS), now];
    if (this.at.length > this.limits.notFoundPerMinute) this.lockedUntil = now + this.limits.lockMs;
  }
}
