import type { ProviderStub } from '../../tools/testkit/provider-stub.ts';

/** The times of the status requests to the provider, and figures about them. */
export class StatusRequests {
  constructor(private readonly provider: ProviderStub) {}

  /** Requests from `sinceAt` to before `untilAt`, in order. */
  between(sinceAt = 0, untilAt = Number.POSITIVE_INFINITY): number[] {
    const times = this.provider.calls.times('/api/status');
    return times.filter((at) => at >= sinceAt && at < untilAt).sort((a, b) => a - b);
  }

  count(sinceAt: number, untilAt?: number): number {
    return this.between(sinceAt, untilAt).length;
  }

  /** The most requests in any window of this length. */
  busiest(windowMs: number, sinceAt?: number, untilAt?: number): number {
    const times = this.between(sinceAt, untilAt);
    let first = 0;
    let most = 0;
    for (const [index, at] of times.entries()) {
      while (at - (times[first] ?? 0) >= windowMs) first += 1;
      most = Math.max(most, index - first + 1);
    }
    return most;
  }

  /** The times between the starts of successive requests about one payment. */
  gaps(quoteId: string, sinceAt = 0): number[] {
    const times = this.provider.calls.polls(quoteId).filter((at) => at >= sinceAt);
    return times.slice(1).map((at, index) => at - (times[index] ?? 0));
  }

  shortestGap(quoteIds: readonly string[], sinceAt?: number): number {
    return Math.min(...quoteIds.flatMap((quoteId) => this.gaps(quoteId, sinceAt)));
  }

  /** Whether the provider was asked about all of these payments since this time. */
  isRound(quoteIds: readonly string[], sinceAt: number): boolean {
    return quoteIds.every((quoteId) => this.provider.calls.polls(quoteId).some((at) => at >= sinceAt));
  }
}
