import { type DynamicModule, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Config } from '../../config/config.ts';
import { Clock } from '../../ports/clock.ts';
import { Queries } from '../../ports/queries.ts';
import { Timers } from '../../ports/timers.ts';
import { QuoteStore } from '../shared/quote-store.ts';
import { JsonApi } from '../shared/json-api.ts';
import { OneClickProvider } from './oneclick-provider.ts';
import { ONECLICK_SETTINGS } from './oneclick-settings.ts';
import { readQuoteKey } from './quote-signature.ts';
import type { SwapQuote } from './swap.ts';

/** 1Click of NEAR Intents. */
@Module({})
export class OneClickModule implements OnApplicationBootstrap {
  private readonly log = new Logger('Paybell');

  constructor(private readonly config: Config) {}

  static with(config: Config): DynamicModule {
    const requests = config.requestsOf(ONECLICK_SETTINGS);
    const { timeoutMs, maxConcurrency } = requests;
    const { baseUrl, apiKey, verifiesQuotes, quoteKey, ...others } = config.of(ONECLICK_SETTINGS);
    const options = { ...others, ...requests, quoteKey: verifiesQuotes ? readQuoteKey(quoteKey) : null };
    return {
      module: OneClickModule,
      providers: [
        {
          provide: OneClickProvider,
          useFactory: (queries: Queries, clock: Clock, timers: Timers) =>
            new OneClickProvider(
              options,
              new JsonApi({ baseUrl, apiKey, timeoutMs, maxConcurrency }, clock),
              new QuoteStore<SwapQuote>(queries, 'oneclick', timeoutMs),
              clock,
              timers,
            ),
          inject: [Queries, Clock, Timers],
        },
      ],
      exports: [OneClickProvider],
    };
  }

  onApplicationBootstrap(): void {
    const { apiKey, refundTo, verifiesQuotes } = this.config.of(ONECLICK_SETTINGS);
    if (apiKey === null)
      this.log.warn('ONECLICK_API_KEY is not set: 1Click takes a higher fee of each payment');
    if (refundTo.size === 0)
      this.log.warn('ONECLICK_REFUND_TO is not set: without a refund address 1Click gives no quote');
    if (!verifiesQuotes)
      this.log.warn('ONECLICK_VERIFY_QUOTES is off: a changed deposit address would not be noticed');
  }
}
