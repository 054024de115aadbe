export interface ProviderCall {
  readonly method: string;
  /** The path without the query; `/api/status` for every status. */
  readonly path: string;
  readonly quoteId: string | null;
  readonly at: number;
}

/** Every call that reached the provider, with a good key or not, in order. */
export class ProviderCalls {
  readonly all: ProviderCall[] = [];

  add(call: ProviderCall): void {
    this.all.push(call);
  }

  /** The number of calls of a path; with a quote id, of calls for this quote. */
  count(path: string, quoteId?: string): number {
    return this.times(path, quoteId).length;
  }

  times(path: string, quoteId?: string): number[] {
    const fits = (call: ProviderCall): boolean =>
      call.path === path && (quoteId === undefined || call.quoteId === quoteId);
    return this.all.filter(fits).map((call) => call.at);
  }

  /** The times of the status requests for this payment. */
  polls(quoteId: string): number[] {
    return this.times('/api/status', quoteId);
  }
}
