/** Polls one payment at once, outside the schedule, for a caller that waits for the answer. */
export abstract class ImmediatePoll {
  /**
   * Claims the payment, asks the provider, applies the answer and commits it before it returns.
   * `recent`: this or another replica polled it within `gapMs`; `unknown`: no such payment is polled. `caller`: the client
   * whose share of scarce requests the poll uses. Throws ProviderUnavailable, ProviderRefused or ProviderCredentials when
   * the answer was unusable, after it has recorded a silence; throws StoreUnavailable.
   */
  abstract pollNow(quoteId: string, gapMs: number, caller: string): Promise<'polled' | 'recent' | 'unknown'>;
}
