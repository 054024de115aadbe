import { ChainList } from '../../src/gateway/chain-list.ts';
import { GatewayRules } from '../../src/gateway/gateway-rules.ts';
import { GatewayController } from '../../src/gateway/gateway.controller.ts';
import { Lookups } from '../../src/gateway/lookups.ts';
import { QuoteMaker } from '../../src/gateway/quote-maker.ts';
import { QuoteTurns } from '../../src/gateway/quote-turns.ts';
import { RequestCheck } from '../../src/gateway/request-check.ts';
import { StatusReader } from '../../src/gateway/status-reader.ts';
import { TokenDecimals } from '../../src/gateway/token-decimals.ts';
import { TokenSearch } from '../../src/gateway/token-search.ts';
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
