import type { Timers } from '../../ports/timers.ts';

/** How many requests of one client may follow each other at once, and the time after which each is made good. */
interface Limit {
  readonly inARow: number;
  readonly oneEachMs: number;
}

const MAX_CLIENTS = 10_000;

/** How often each client may ask this process. */
export class RequestRate {
  /** By client, the least recently seen first: when all its requests are made good. */
  private readonly restoredAt = new Map<string, number>();

  constructor(
    private readonly timers: Timers,
    private readonly limit: Limit,
    private readonly maxClients = MAX_CLIENTS,
  ) {}

  /** Counts a request. Otherwise, how many milliseconds the client has to wait. */
  take(client: string): number {
    const now = this.timers.nowMs();
    const from = Math.max(this.restoredAt.get(client) ?? now, now);
    const waitMs = from - now - (this.limit.inARow - 1) * this.limit.oneEachMs;
    if (waitMs > 0) return waitMs;
    this.restoredAt.delete(client);
    this.restoredAt.set(client, from + this.limit.oneEachMs);
    this.forget(now);
    return 0;
  }

  private forget(now: number): void {
    for (const [client, at] of this.restoredAt) {
      if (at > now && this.restoredAt.size <= this.maxClients) return;
      this.restoredAt.delete(client);
    }
  }
}
