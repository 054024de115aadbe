import { JsonApi } from '../../src/providers/shared/json-api.ts';
import { OneClickProvider, type OneClickOptions } from '../../src/providers/oneclick/oneclick-provider.ts';
import { readQuoteKey } from '../../src/providers/oneclick/quote-signature.ts';
import type { SwapQuote } from '../../src/providers/oneclick/swap.ts';
import { QuoteStore } from '../../src/providers/shared/quote-store.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { Clock } from '../../src/ports/clock.ts';
import { OneClickStandIn } from '../../tools/oneclick-stand-in/oneclick-stand-in.ts';
import { openDataSource } from './data-source.ts';
import { createTestDatabase } from './database.ts';
import { databaseOn } from './stores.ts';

export const REFUND_TO = `0x${'ab'.repeat(20)}`;

/** A clock that stands still until a test moves it. */
export class StandingClock extends Clock {
  private at = Date.now();

  now(): Date {
    return new Date(this.at);
  }

  pass(seconds: number): void {
    this.at += seconds * 1_000;
  }
}

export interface OneClickWorld {
  readonly oneClick: OneClickStandIn;
  readonly clock: StandingClock;
  /** A provider that asks the stand-in, or a proxy in front of it. */
  providerWith(change?: Partial<OneClickOptions>, apiKey?: string, baseUrl?: string): OneClickProvider;
  /** Removes a quote, as a restored backup older than the quote would. */
  loseQuote(quoteId: string): Promise<void>;
  close(): Promise<void>;
}

/** 1Click's stand-in with a key, and adapters that ask it and keep their quotes in one database. */
export async function openOneClickWorld(apiKey: string, timeoutMs = 5_000): Promise<OneClickWorld> {
  const database = await createTestDatabase();
  const queries = databaseOn(await openDataSource(database));
  const clock = new StandingClock();
  const oneClick = await OneClickStandIn.start({ apiKeys: [apiKey], clock });
  const apis: JsonApi[] = [];
  const options: OneClickOptions = {
    maxRpm: 60,
    timeoutMs,
    maxConcurrency: 8,
    refundTo: new Map([
      ['evm', REFUND_TO],
      ['stellar', `G${'A'.repeat(55)}`],
    ]),
    appFees: [],
    referral: 'paybell',
    slippageBps: 100,
    quoteTtlSeconds: 300,
    quoteKey: readQuoteKey(oneClick.signer.publicKey),
  };
  return {
    oneClick,
    clock,
    providerWith: (change = {}, key = apiKey, baseUrl = oneClick.url) => {
      const api = new JsonApi({ baseUrl, apiKey: key, timeoutMs, maxConcurrency: 8 });
      apis.push(api);
      const store = new QuoteStore<SwapQuote>(queries, 'oneclick', timeoutMs);
      return new OneClickProvider({ ...options, ...change }, api, store, clock, SYSTEM_TIMERS);
    },
    loseQuote: async (quoteId) => {
      await queries.query('DELETE FROM provider_quote WHERE quote_id = $1', [quoteId]);
    },
    close: async () => {
      await Promise.all(apis.map((api) => api.close()));
      await oneClick.close();
      await database.drop();
    },
  };
}
