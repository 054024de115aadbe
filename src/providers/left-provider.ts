import {
  PaymentProvider,
  ProviderUnavailable,
  type ProviderLimits,
  type OnAnswer,
} from '../ports/payment-provider.ts';
import { unavailable } from './connection/read-response.ts';

const REASON = 'PROVIDER does not name it any more';

/** Stands for a provider of PROVIDER_LEAVE. It is never asked, so that its open payments are reported as silent. */
export class LeftProvider extends PaymentProvider {
  override readonly limits: ProviderLimits = {
    maxConcurrency: 1,
    batchSize: 100,
    timeoutMs: 1_000,
    maxRpm: 0,
  };
  override readonly isLeft = true;

  constructor(override readonly name: string) {
    super();
  }

  override createQuote(): Promise<never> {
    return Promise.reject(new ProviderUnavailable(REASON));
  }

  override async readStatuses(quoteIds: readonly string[], onAnswer: OnAnswer): Promise<void> {
    for (const quoteId of quoteIds) onAnswer(quoteId, unavailable(REASON, null));
  }

  override readChains(): Promise<never> {
    return Promise.reject(new ProviderUnavailable(REASON));
  }

  override searchCurrencies(): Promise<never> {
    return Promise.reject(new ProviderUnavailable(REASON));
  }
}
