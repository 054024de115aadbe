import type { DueClaim } from '../../ports/schedule.ts';

interface Batch {
  readonly claims: Map<string, DueClaim>;
  readonly since: number;
  isExtended: boolean;
}

/** The requests that are under way, and the claims that they are about. */
export class PollsUnderWay {
  private readonly batches = new Set<Batch>();

  get size(): number {
    return this.batches.size;
  }

  /** The claims by quote id; of one that was held meanwhile, as it stands then. */
  begin(claims: readonly DueClaim[]): { readonly claims: ReadonlyMap<string, DueClaim>; end: () => void } {
    const byId = new Map(claims.map((claim) => [claim.quoteId, claim]));
    const batch: Batch = { claims: byId, since: performance.now(), isExtended: false };
    this.batches.add(batch);
    return { claims: byId, end: () => void this.batches.delete(batch) };
  }

  /** The claims of requests that take longer than `slowAfterMs`, once each. */
  takeSlow(slowAfterMs: number): DueClaim[] {
    const before = performance.now() - slowAfterMs;
    const slow = [...this.batches].filter((batch) => !batch.isExtended && batch.since <= before);
    return slow.flatMap((batch) => {
      batch.isExtended = true;
      const claims = [...batch.claims.values()];
      // What a held claim has scheduled is not the payment's own interval any more: its look is to be written.
      for (const claim of claims)
        batch.claims.set(claim.quoteId, { ...claim, knownDigest: null, scheduledInMs: null });
      return claims;
    });
  }
}
