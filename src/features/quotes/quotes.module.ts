import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { minGapMs } from '../../domain/polling/urgency-rules.ts';
import { AgreedDecimals } from './agreed-decimals.ts';
import { ChainListRefresher, ChainLists } from './chain-lists.ts';
import { MonitoredQuoting } from './monitored-quoting.ts';
import { ProviderChoice } from './provider-choice.ts';
import { QuoteAttempts } from './quote-attempts.ts';
import { QuoteIdempotency } from './quote-idempotency.ts';
import { QuoteService } from './quote.service.ts';
import { QuotesController } from './quotes.controller.ts';
import { QuotesSettings } from './quotes.settings.ts';
import { RequestCheck, TokenDecimals } from './request-check.ts';
import { StatusService } from './status.service.ts';
import { TokenSearch } from './token-search.ts';
import { UnansweredQuotesController } from './unanswered-quotes.controller.ts';

/** The payment API's four endpoints: quotes, statuses, chains and currencies. */
@Module({})
export class QuotesModule {
  static with(config: Config): DynamicModule {
    const asksProvider = config.roles.has('api') || config.roles.has('tracker');
    const settings = new QuotesSettings({
      minGapMs: minGapMs(config),
      timeoutMs: config.quoteTimeoutMs,
      asksForBest: config.quotePolicy === 'best',
      refusesUnprovable: config.verify === 'require' && config.verifyUnprovable === 'refuse',
    });
    return {
      module: QuotesModule,
      controllers: config.roles.has('api') ? [QuotesController, UnansweredQuotesController] : [],
      providers: [
        { provide: QuotesSettings, useValue: settings },
        AgreedDecimals,
        ProviderChoice,
        QuoteAttempts,
        ChainLists,
        MonitoredQuoting,
        TokenDecimals,
        TokenSearch,
        RequestCheck,
        QuoteIdempotency,
        QuoteService,
        StatusService,
        ...(asksProvider ? [ChainListRefresher] : []),
      ],
    };
  }
}
