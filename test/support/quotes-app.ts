import { ChainLists } from '../../src/features/quotes/chain-lists.ts';
import { QuotesSettings } from '../../src/features/quotes/quotes.settings.ts';
import { QuotesController } from '../../src/features/quotes/quotes.controller.ts';
import { AgreedDecimals } from '../../src/features/quotes/agreed-decimals.ts';
import { MonitoredQuoting } from '../../src/features/quotes/monitored-quoting.ts';
import { ProviderChoice } from '../../src/features/quotes/provider-choice.ts';
import { QuoteAttempts } from '../../src/features/quotes/quote-attempts.ts';
import { UnansweredQuotesController } from '../../src/features/quotes/unanswered-quotes.controller.ts';
import { QuoteIdempotency } from '../../src/features/quotes/quote-idempotency.ts';
import { QuoteService } from '../../src/features/quotes/quote.service.ts';
import { RequestCheck, TokenDecimals } from '../../src/features/quotes/request-check.ts';
import { StatusService } from '../../src/features/quotes/status.service.ts';
import { TokenSearch } from '../../src/features/quotes/token-search.ts';
import { FeatureApp } from './feature-app.ts';

export const QUOTE_BODY = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  toToken: '0x0000000000000000000000000000000000000000',
  amount: '25.5',
  recipient: '0x03508bb71268bba25ecacc8f620e01866650532c',
};

/** The gateway on fakes, with waits that suit tests. `more` replaces providers of the same class. */
export function startGateway(
  app = new FeatureApp(),
  settings: Partial<QuotesSettings> = {},
  more: readonly object[] = [],
): Promise<FeatureApp> {
  return app.start(
    [QuotesController, UnansweredQuotesController],
    [
      new QuotesSettings({
        reportWaitMs: 120,
        reportPollMs: 10,
        idempotencyWaitMs: 50,
        idempotencyPollMs: 5,
        laggardWaitMs: 50,
        ...settings,
      }),
      ChainLists,
      AgreedDecimals,
      ProviderChoice,
      QuoteAttempts,
      MonitoredQuoting,
      QuoteService,
      QuoteIdempotency,
      RequestCheck,
      StatusService,
      TokenDecimals,
      TokenSearch,
      ...more,
    ],
  );
}
