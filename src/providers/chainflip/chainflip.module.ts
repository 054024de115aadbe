import { type DynamicModule, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Config } from '../../config/config.ts';
import { Clock } from '../../ports/clock.ts';
import { Queries } from '../../ports/queries.ts';
import { Timers } from '../../ports/timers.ts';
import { JsonApi } from '../shared/json-api.ts';
import { QuoteStore } from '../shared/quote-store.ts';
import { type ChainflipApis, ChainflipProvider } from './chainflip-provider.ts';
import { CHAINFLIP_SETTINGS } from './chainflip-settings.ts';
import type { ChannelQuote } from './channel-quote.ts';

/** Chainflip's deposit channels. */
@Module({})
export class ChainflipModule implements OnApplicationBootstrap {
  private readonly log = new Logger('Paybell');

  constructor(private readonly config: Config) {}

  static with(config: Config): DynamicModule {
    const requests = config.requestsOf(CHAINFLIP_SETTINGS);
    const options = { ...config.of(CHAINFLIP_SETTINGS), ...requests };
    return {
      module: ChainflipModule,
      providers: [
        {
          provide: ChainflipProvider,
          useFactory: (queries: Queries, clock: Clock, timers: Timers) =>
            new ChainflipProvider(
              options,
              apisOf(config, clock),
              new QuoteStore<ChannelQuote>(queries, 'chainflip', requests.timeoutMs),
              clock,
              timers,
            ),
          inject: [Queries, Clock, Timers],
        },
      ],
      exports: [ChainflipProvider],
    };
  }

  onApplicationBootstrap(): void {
    const { refundTo, brokerUrl, commissionBps } = this.config.of(CHAINFLIP_SETTINGS);
    if (refundTo.size === 0)
      this.log.warn('CHAINFLIP_REFUND_TO is not set: a quote needs a refund address in its request');
    if (commissionBps > 0 && brokerUrl === null)
      this.log.warn('CHAINFLIP_COMMISSION_BPS has no effect without CHAINFLIP_BROKER_URL');
    if (brokerUrl === null)
      this.log.warn(
        "CHAINFLIP_BROKER_URL is not set: Chainflip's backend opens some 25 channels a day for each recipient and pair",
      );
  }
}

function apisOf(config: Config, clock: Clock): ChainflipApis {
  const { timeoutMs, maxConcurrency } = config.requestsOf(CHAINFLIP_SETTINGS);
  const { baseUrl, brokerUrl, rpcUrl, openTimeoutMs } = config.of(CHAINFLIP_SETTINGS);
  const apiAt = (url: string, withinMs: number, isKeyless = true): JsonApi =>
    new JsonApi({ baseUrl: url, apiKey: null, isKeyless, timeoutMs: withinMs, maxConcurrency }, clock);
  return {
    backend: apiAt(baseUrl, timeoutMs),
    opening: apiAt(baseUrl, openTimeoutMs),
    broker: brokerUrl === null ? null : apiAt(brokerUrl, openTimeoutMs, false),
    rpc: rpcUrl === null ? null : apiAt(rpcUrl, timeoutMs),
  };
}
