import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { ProviderRateLimit } from '../../ports/provider-rate-limit.ts';

/** A provider as an Asker sees it: one request asks about all these quotes. */
export interface AskedProvider {
  readonly limits: { readonly batchSize: number };
  askTogether(quoteIds: readonly string[], asker: Asker): Promise<readonly StatusAnswer[]>;
}

/**
 * The client on whose behalf providers are asked: `caller` names its share of scarce requests. Each quote has a request of
 * its own.
 */
export class Asker {
  constructor(readonly caller: string) {}

  /** Throws as ProviderRateLimit.takeOne does. */
  takeOne(rateLimit: ProviderRateLimit): Promise<{ readonly isProbe: boolean }> {
    return rateLimit.takeOne(this.caller);
  }

  /** Runs a request that has its permit. */
  inTurn<Result>(request: () => Promise<Result>): Promise<Result> {
    return request();
  }

  /** Throws as takeOne does. */
  async ask(provider: AskedProvider, quoteId: string): Promise<StatusAnswer> {
    const [answer] = await provider.askTogether([quoteId], this);
    return answer as StatusAnswer;
  }
}
