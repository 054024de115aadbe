import type { Timers } from '../../ports/timers.ts';

/** How many requests a client may send at once, and how long until each of these is available again. */
interface Limit {
  readonly inARow: number;
  readonly oneEachMs: number;
}

const MAX_CLIENTS = 10_000;

/** How often each client may ask this process. */
export class RequestRate {
  /** When all of a client's requests are available again; the client that was seen least recently comes first. */
  private readonly restoredAt = new Map<string, number>();

  constructor(
    private readonly timers: Timers,
    private readonly limit: Limit,
    private readonly maxClients = MAX_CLIENTS,
  ) {}

  /** Counts a request and returns 0; or returns how many milliseconds the client has to wait. */
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
