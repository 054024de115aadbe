export interface ProviderCall {
  readonly method: string;
  /** Without the query; `/api/status` for every status. */
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

  /** How often a path was called; with a quote id, how often for this quote. */
  count(path: string, quoteId?: string): number {
    return this.times(path, quoteId).length;
  }

  times(path: string, quoteId?: string): number[] {
    const fits = (call: ProviderCall): boolean =>
      call.path === path && (quoteId === undefined || call.quoteId === quoteId);
    return this.all.filter(fits).map((call) => call.at);
  }

  /** When this payment's status was asked for. */
  polls(quoteId: string): number[] {
    return this.times('/api/status', quoteId);
  }
}
