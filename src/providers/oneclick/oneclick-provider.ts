import { randomUUID, type KeyObject } from 'node:crypto';

import { Logger, type OnApplicationShutdown } from '@nestjs/common';

import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import type { Quote, QuoteRequest } from '../../domain/payment/quote.ts';
import { isQuoteId } from '../../domain/payment/reading.ts';
import { readReport } from '../../domain/payment/report.ts';
import { readEstimateMs } from '../../domain/payment/estimate.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  PaymentProvider,
  ProviderUnavailable,
  type ProviderLimits,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import type { Timers } from '../../ports/timers.ts';
import { unavailable } from '../connection/read-response.ts';
import { findCurrencies } from '../shared/currencies.ts';
import { PlaceTaken, type QuoteStore } from '../shared/quote-store.ts';
import { OneClickAssets } from './assets.ts';
import { type Offer, placeOf, readOffer } from './offer.ts';
import { type OneClickApi, valueOrError } from './oneclick-api.ts';
import { type Order, readOrder, type RefundTo } from './order.ts';
import { quoteBody, type QuoteBodyOptions } from './quote-body.ts';
import { refusalOf } from './refusals.ts';
import { readSwap, type StoredSwap, type SwapQuote, toStoredSwap } from './swap.ts';
import { toQuote } from './to-quote.ts';
import { toStatus, type StatusOptions } from './to-status.ts';

export interface OneClickOptions extends QuoteBodyOptions, StatusOptions {
  /** Status requests a minute, shared by all replicas. */
  readonly maxRpm: number;
  readonly timeoutMs: number;
  readonly maxConcurrency: number;
  readonly refundTo: RefundTo;
  /** The spec's `expiresIn`. */
  readonly quoteTtlSeconds: number;
  /** Checks 1Click's signature of each quote; null: quotes are not checked. */
  readonly quoteKey: KeyObject | null;
}

/** A new quote may be unknown to the server that is asked for its status. */
const KNOWN_WITHIN_MS = 60_000;
const NOT_FOUND = 404;

/** Implements the spec's service on the 1Click Swap API of NEAR Intents. */
export class OneClickProvider extends PaymentProvider implements OnApplicationShutdown {
  override readonly name = 'oneclick';
  override readonly limits: ProviderLimits;
  private readonly log = new Logger(OneClickProvider.name);
  private readonly assets: OneClickAssets;

  constructor(
    private readonly options: OneClickOptions,
    private readonly api: OneClickApi,
    private readonly store: QuoteStore<SwapQuote>,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    super();
    const { maxConcurrency, timeoutMs, maxRpm } = options;
    this.limits = { maxConcurrency, batchSize: 1, timeoutMs, maxRpm };
    this.assets = new OneClickAssets(api, timers);
  }

  override async checkQuote(request: QuoteRequest): Promise<void> {
    readOrder(request, await this.assets.all(), this.options.refundTo);
  }

  /** Never retries, and returns the quote only once it is stored. Throws StoreUnavailable besides the provider's errors. */
  override async createQuote(request: QuoteRequest): Promise<Quote> {
    const order = readOrder(request, await this.assets.all(), this.options.refundTo);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + this.options.quoteTtlSeconds * 1_000);
    const body = quoteBody(order, expiresAt, this.options);
    const answer = valueOrError(await this.api.post('/quote', body));
    if (answer.kind === 'error') throw refusalOf(answer.message, order);
    const reading = readOffer(answer.value, order, body, this.options.quoteKey);
    if (reading.kind === 'unsafe') throw this.unsafe(reading.check);
    return this.keep(order, reading.offer, createdAt, expiresAt);
  }

  /** Every quote is stored before it is returned: an id that is not stored belongs to no quote. */
  override async mayKnow(quoteId: string): Promise<boolean> {
    return isQuoteId(quoteId) && (await this.store.find([quoteId])).has(quoteId);
  }

  override async readStatuses(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => void,
  ): Promise<void> {
    const ids = [...new Set(quoteIds)];
    const quotes = await this.find(ids);
    await Promise.all(
      ids.map(async (quoteId) => {
        if (!(quotes instanceof Map)) return onAnswer(quoteId, quotes);
        const quote = quotes.get(quoteId);
        onAnswer(quoteId, quote === undefined ? UNKNOWN_ID : await this.readStatus(quote));
      }),
    );
  }

  override async readChains(): Promise<string> {
    const chains = new Map((await this.assets.all()).map(({ chain }) => [chain.id, chain]));
    const shown = [...chains.values()].map(({ id, name, shortName, nativeToken }) => ({
      id,
      name,
      shortName,
      nativeToken,
    }));
    return JSON.stringify({ success: true, chains: shown });
  }

  override async searchCurrencies(search: CurrencySearch): Promise<string> {
    const tokens = (await this.assets.all()).map(({ chain, address, symbol, decimals }) => ({
      chainId: chain.id,
      address,
      symbol,
      name: symbol,
      decimals,
      vmType: chain.vmType,
      // 1Click lists nothing else.
      metadata: { verified: true },
    }));
    return JSON.stringify({ success: true, currencies: findCurrencies(tokens, search) });
  }

  /** Aborts the requests in flight: in this phase of the shutdown their callers have stopped. */
  onApplicationShutdown(): Promise<void> {
    return this.api.close(0);
  }

  private async find(ids: readonly string[]): Promise<Map<string, StoredSwap> | StatusAnswer> {
    try {
      return await this.store.find(ids.filter(isQuoteId));
    } catch (error) {
      return unavailable(`its quotes could not be read: ${(error as Error).message}`, null);
    }
  }

  private async readStatus(quote: StoredSwap): Promise<StatusAnswer> {
    const { depositAddress, memo } = quote;
    const query = new URLSearchParams({ depositAddress, ...(memo === null ? {} : { depositMemo: memo }) });
    const answer = await this.api.get(`/status?${query.toString()}`);
    const now = this.clock.now();
    if (answer.kind === 'error') return refusedOr(answer, now.getTime() - quote.createdAt.getTime());
    if (answer.kind !== 'json') return answer;
    const swap = readSwap(answer.value, quote);
    if (swap === null) return unavailable('unreadable answer', 200);
    const text = toStatus(quote, swap, now, this.options);
    const report = readReport(JSON.parse(text), text);
    return report === null ? unavailable('unreadable answer', 200) : { kind: 'report', report };
  }

  private async keep(order: Order, offer: Offer, createdAt: Date, expiresAt: Date): Promise<Quote> {
    const quoteId = randomUUID();
    const { quoteTtlSeconds: expiresIn } = this.options;
    const { depositAddress, memo } = offer;
    const quote = toQuote(quoteId, order, offer, expiresIn);
    const stored = toStoredSwap({ quoteId, createdAt, expiresAt }, order, offer);
    try {
      await this.store.add(placeOf(depositAddress, memo), stored);
    } catch (error) {
      throw error instanceof PlaceTaken ? this.unsafe('deposit address of another quote') : error;
    }
    const expectedMs = readEstimateMs(quote['estimatedTime']);
    return { quoteId, expiresIn, expectedMs, depositAddress, text: JSON.stringify(quote) };
  }

  /** Logs the failed check and nothing of the quote: nobody may pay its deposit address. */
  private unsafe(check: string): ProviderUnavailable {
    this.log.error(
      `1Click's quote differs from the request and was not returned to the client; the failed check: ${check}`,
    );
    return new ProviderUnavailable(`unsafe quote: ${check}`);
  }
}

const UNKNOWN_ID: StatusAnswer = { kind: 'refused', httpStatus: 404, message: 'There is no such quote.' };

function refusedOr(
  { httpStatus, message }: { readonly httpStatus: number; readonly message: string },
  ageMs: number,
): StatusAnswer {
  if (httpStatus === NOT_FOUND && ageMs < KNOWN_WITHIN_MS)
    return unavailable('the quote is not known yet', httpStatus);
  return { kind: 'refused', httpStatus: httpStatus as 400 | 404 | 422, message };
}
