import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from '../../config/config.ts';
import { minGapMs } from '../../domain/polling/urgency-rules.ts';
import { ChainListRefresher } from './chain-list-refresher.ts';
import { ChainLists } from './chain-lists.ts';
import { MonitoredLookups } from './monitored-lookups.ts';
import { QuoteIdempotency } from './quote-idempotency.ts';
import { QuoteService } from './quote.service.ts';
import { QuotesController } from './quotes.controller.ts';
import { QuotesSettings } from './quotes.settings.ts';
import { RequestCheck } from './request-check.ts';
import { StatusService } from './status.service.ts';
import { TokenDecimals } from './token-decimals.ts';
import { TokenSearch } from './token-search.ts';

/** The payment API's four endpoints: quotes, statuses, chains and currencies. */
@Module({})
export class QuotesModule {
  static with(config: Config): DynamicModule {
    const asksProvider = config.roles.has('api') || config.roles.has('tracker');
    return {
      module: QuotesModule,
      controllers: config.roles.has('api') ? [QuotesController] : [],
      providers: [
        { provide: QuotesSettings, useValue: new QuotesSettings({ minGapMs: minGapMs(config) }) },
        ChainLists,
        MonitoredLookups,
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
