/** How many quotes may be asked of the provider: one budget, apart from that of status requests, shared by all replicas. */
export abstract class QuoteBudget {
  /** Takes leave for one quote. Throws ProviderUnavailable, with when to try again, and StoreUnavailable. */
  abstract take(): Promise<void>;

  /** The provider has said that it were too many: none is asked for until then. Throws StoreUnavailable. */
  abstract pause(forMs: number): Promise<void>;
}
