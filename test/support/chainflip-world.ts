import {
  ChainflipProvider,
  type ChainflipOptions,
} from '../../src/providers/chainflip/chainflip-provider.ts';
import type { ChannelQuote } from '../../src/providers/chainflip/channel-quote.ts';
import { JsonApi } from '../../src/providers/shared/json-api.ts';
import { QuoteStore } from '../../src/providers/shared/quote-store.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import {
  ChainflipStandIn,
  type ChainflipOptions as StandInOptions,
} from '../../tools/chainflip-stand-in/chainflip-stand-in.ts';
import { openDataSource } from './data-source.ts';
import { createTestDatabase } from './database.ts';
import { StandingClock } from './oneclick-world.ts';
import { databaseOn } from './stores.ts';

export const REFUND_TO = `0x${'ab'.repeat(20)}`;
export const BITCOIN_REFUND_TO = 'bc1q4vxn43l44h30nkluqfxd9eckf45vr2awz38lwa';

export interface ChainflipWorld {
  readonly chainflip: ChainflipStandIn;
  readonly clock: StandingClock;
  /** A provider that asks the stand-in, or a proxy in front of it. */
  providerWith(change?: Partial<ChainflipOptions>, ways?: Ways): ChainflipProvider;
  close(): Promise<void>;
}

/** How the adapter reaches Chainflip. */
export interface Ways {
  readonly baseUrl?: string;
  readonly brokerUrl?: string;
  readonly rpcUrl?: string;
  readonly timeoutMs?: number;
  readonly openTimeoutMs?: number;
}

const TIMEOUT_MS = 5_000;

/** Chainflip's stand-in, and adapters that ask it and keep their quotes in one database. */
export async function openChainflipWorld(standIn: Partial<StandInOptions> = {}): Promise<ChainflipWorld> {
  const database = await createTestDatabase();
  const queries = databaseOn(await openDataSource(database));
  const clock = new StandingClock();
  const chainflip = await ChainflipStandIn.start({ clock, ...standIn });
  const apis: JsonApi[] = [];
  const apiAt = (baseUrl: string, timeoutMs: number, isKeyless = true): JsonApi => {
    const api = new JsonApi({ baseUrl, apiKey: null, isKeyless, timeoutMs, maxConcurrency: 8 });
    apis.push(api);
    return api;
  };
  const options: ChainflipOptions = {
    maxRpm: 60,
    maxQuotesRpm: 50,
    timeoutMs: TIMEOUT_MS,
    openTimeoutMs: TIMEOUT_MS,
    maxConcurrency: 8,
    refundTo: new Map([
      ['evm', REFUND_TO],
      ['bvm', BITCOIN_REFUND_TO],
    ]),
    quoteTtlSeconds: 300,
    commissionBps: 0,
    slippageBps: 0,
    oracleSlippageBps: 0,
    retryMinutes: 0,
    maxChannels: 25,
  };
  return {
    chainflip,
    clock,
    providerWith: (change = {}, ways = {}) => {
      const { baseUrl = chainflip.url, brokerUrl, rpcUrl, timeoutMs = TIMEOUT_MS } = ways;
      const openTimeoutMs = ways.openTimeoutMs ?? timeoutMs;
      return new ChainflipProvider(
        { ...options, ...change },
        {
          backend: apiAt(baseUrl, timeoutMs),
          opening: apiAt(baseUrl, openTimeoutMs),
          broker: brokerUrl === undefined ? null : apiAt(brokerUrl, openTimeoutMs, false),
          rpc: rpcUrl === undefined ? null : apiAt(rpcUrl, timeoutMs),
        },
        new QuoteStore<ChannelQuote>(queries, 'chainflip', TIMEOUT_MS),
        clock,
        SYSTEM_TIMERS,
      );
    },
    close: async () => {
      await Promise.all(apis.map((api) => api.close()));
      await chainflip.close();
      await database.drop();
    },
  };
}
