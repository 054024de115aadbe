/** Looks at one payment at once, outside its turn, for a caller that waits for the answer. */
export abstract class ImmediatePoll {
  /**
   * Claims the payment, asks the provider, applies the answer and commits it before it returns.
   * `recent`: it was looked at within `gapMs`, here or in another replica; `unknown`: there is nothing to look at.
   * `caller`: who is to be charged for it while requests are scarce. Throws ProviderUnavailable, ProviderRefused or ProviderCredentials when the provider gave nothing usable, after
   * that was recorded as silence; throws StoreUnavailable.
   */
  abstract pollNow(quoteId: string, gapMs: number, caller: string): Promise<'polled' | 'recent' | 'unknown'>;
}
