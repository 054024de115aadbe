/** Requests to poll payments before their schedule does. */
export abstract class PollRequests {
  /** Records that a client asked about the payment, which is then polled sooner. Only a hint: cheap, and never throws. */
  abstract hint(quoteId: string): void;

  /**
   * Makes these payments due because their provider has announced a change: a notice is a hint to poll now, never a state.
   * Collects calls in bounded batches; never throws.
   */
  abstract makeDue(quoteIds: readonly string[]): void;

  /**
   * Polls one payment outside the schedule, for a caller that waits for the answer: claims the payment, asks the provider,
   * applies the answer and commits it before returning. `recent`: this or another replica polled it within `gapMs`;
   * `unknown`: no such payment is polled. `caller`: the client whose share of scarce requests the poll uses. Throws
   * ProviderUnavailable, ProviderRefused or ProviderCredentials when the answer was unusable, after recording a silence;
   * throws StoreUnavailable.
   */
  abstract pollNow(quoteId: string, gapMs: number, caller: string): Promise<'polled' | 'recent' | 'unknown'>;
}
