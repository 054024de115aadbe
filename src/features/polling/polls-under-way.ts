import type { DueClaim } from '../../ports/schedule.ts';
import type { Timers } from '../../ports/timers.ts';

/** One request that is under way, with its claims. */
export interface RequestUnderWay {
  /** takeSlow replaces the claims whose leases it extends. */
  claims: readonly DueClaim[];
  readonly since: number;
  /** Null until its leases are extended. */
  extendedAt: number | null;
}

/** The requests that are under way. */
export class PollsUnderWay {
  private readonly requests = new Set<RequestUnderWay>();

  constructor(private readonly timers: Timers) {}

  get size(): number {
    return this.requests.size;
  }

  begin(claims: readonly DueClaim[]): RequestUnderWay {
    const request: RequestUnderWay = { claims, since: this.timers.nowMs(), extendedAt: null };
    this.requests.add(request);
    return request;
  }

  /** False: it has ended before. */
  end(request: RequestUnderWay): boolean {
    return this.requests.delete(request);
  }

  /**
   * The claims of requests that take longer than `slowAfterMs`; again each `againAfterMs`, since a request may wait for a free
   * connection, and a batch may take several requests.
   */
  takeSlow(slowAfterMs: number, againAfterMs: number): DueClaim[] {
    const now = this.timers.nowMs();
    const slow = [...this.requests].filter(({ since, extendedAt }) =>
      extendedAt === null ? now - since >= slowAfterMs : now - extendedAt >= againAfterMs,
    );
    return slow.flatMap((request) => {
      const { claims } = request;
      request.extendedAt = now;
      // An extended lease has moved the next poll away from the payment's own interval: its poll must be recorded.
      request.claims = claims.map((claim) => ({ ...claim, knownDigest: null, scheduledInMs: null }));
      return claims;
    });
  }
}
