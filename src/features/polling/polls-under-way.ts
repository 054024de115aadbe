import type { DueClaim } from '../../ports/schedule.ts';
import type { Timers } from '../../ports/timers.ts';

interface Batch {
  readonly claims: Map<string, DueClaim>;
  readonly since: number;
  /** Null until its leases are extended. */
  extendedAt: number | null;
}

/** The requests that are under way, with their claims. */
export class PollsUnderWay {
  private readonly batches = new Set<Batch>();

  constructor(private readonly timers: Timers) {}

  get size(): number {
    return this.batches.size;
  }

  /** Adds a request. Returns its claims by quote id; takeSlow updates the claims whose leases it extends. */
  begin(claims: readonly DueClaim[]): { readonly claims: ReadonlyMap<string, DueClaim>; end: () => void } {
    const byId = new Map(claims.map((claim) => [claim.quoteId, claim]));
    const batch: Batch = { claims: byId, since: this.timers.nowMs(), extendedAt: null };
    this.batches.add(batch);
    return { claims: byId, end: () => void this.batches.delete(batch) };
  }

  /**
   * The claims of requests that take longer than `slowAfterMs`; again each `againAfterMs`, since a request may wait for a free
   * connection, and a batch may take several requests.
   */
  takeSlow(slowAfterMs: number, againAfterMs: number): DueClaim[] {
    const now = this.timers.nowMs();
    const slow = [...this.batches].filter(({ since, extendedAt }) =>
      extendedAt === null ? now - since >= slowAfterMs : now - extendedAt >= againAfterMs,
    );
    return slow.flatMap((batch) => {
      batch.extendedAt = now;
      const claims = [...batch.claims.values()];
      // An extended lease has moved the next poll away from the payment's own interval: its poll must be recorded.
      for (const claim of claims)
        batch.claims.set(claim.quoteId, { ...claim, knownDigest: null, scheduledInMs: null });
      return claims;
    });
  }
}
