/** The budget of quotes from the provider, shared by all replicas and separate from that of status requests. */
export abstract class QuoteBudget {
  /** Takes one quote from the budget. Throws ProviderUnavailable, with the time until a retry, and StoreUnavailable. */
  abstract takeQuote(): Promise<void>;

  /** Admits no quote for `forMs`: the provider has answered that there were too many. Throws StoreUnavailable. */
  abstract pause(forMs: number): Promise<void>;
}
