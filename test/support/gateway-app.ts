import { ChainList } from '../../src/features/quotes/chain-list.ts';
import { GatewayRules } from '../../src/features/quotes/quotes.settings.ts';
import { GatewayController } from '../../src/features/quotes/quotes.controller.ts';
import { Lookups } from '../../src/features/quotes/lookups.ts';
import { QuoteMaker } from '../../src/features/quotes/quote.service.ts';
import { QuoteTurns } from '../../src/features/quotes/quote-idempotency.ts';
import { RequestCheck } from '../../src/features/quotes/request-check.ts';
import { StatusReader } from '../../src/features/quotes/status.service.ts';
import { TokenDecimals } from '../../src/features/quotes/token-decimals.ts';
import { TokenSearch } from '../../src/features/quotes/token-search.ts';
import { SliceApp } from './slice-app.ts';

export const QUOTE_BODY = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  toToken: '0x0000000000000000000000000000000000000000',
  amount: '25.5',
  recipient: '0x03508bb71268bba25ecacc8f620e01866650532c',
};

/** The gateway on fakes, with waits that suit tests. */
export function startGateway(app = new SliceApp()): Promise<SliceApp> {
  return app.start(GatewayController, [
    new GatewayRules({ reportWaitMs: 120, reportPollMs: 10, turnWaitMs: 50, turnPollMs: 5 }),
    ChainList,
    Lookups,
    QuoteMaker,
    QuoteTurns,
    RequestCheck,
    StatusReader,
    TokenDecimals,
    TokenSearch,
  ]);
}
