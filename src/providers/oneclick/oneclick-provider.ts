import { randomUUID, type KeyObject } from 'node:crypto';

import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import type { Quote, QuoteRequest } from '../../domain/payment/quote.ts';
import { isQuoteId } from '../../domain/payment/reading.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  type KnownReports,
  type LostQuote,
  type OnAnswer,
  ProviderRefused,
  type ProviderLimits,
} from '../../ports/payment-provider.ts';
import type { Timers } from '../../ports/timers.ts';
import { UnfitQuote } from '../../ports/unfit-quote.ts';
import { DirectProvider } from '../shared/direct-provider.ts';
import { fieldsOf, readWord } from '../shared/fields.ts';
import { readKeptQuote } from '../shared/kept-quote.ts';
import { assetChainsText, assetCurrenciesText, knownAsset } from '../shared/listed-assets.ts';
import { refused } from '../shared/order-checks.ts';
import type { Reading } from '../shared/quote-reading.ts';
import type { QuoteStore } from '../shared/quote-store.ts';
import { fromRaw } from '../shared/raw-amount.ts';
import { readEach } from '../shared/read-each.ts';
import { OneClickAssets } from './assets.ts';
import { LostSwap } from './lost-swap.ts';
import { placeOf, readOffer, readPrice } from './offer.ts';
import { type JsonApi, valueOrError } from '../shared/json-api.ts';
import { type Order, readOrder, refusalOf, type RefundTo, TITLE } from './order.ts';
import { type QuoteBody, quoteBody, type QuoteBodyOptions } from './quote-body.ts';
import { type SwapQuote, toStoredSwap } from './swap.ts';
import { SwapReader } from './swap-reader.ts';
import { toQuote } from './to-quote.ts';

export interface OneClickOptions extends QuoteBodyOptions {
  /** Status requests a minute, shared by all replicas. */
  readonly maxRpm: number;
  readonly timeoutMs: number;
  readonly maxConcurrency: number;
  readonly refundTo: RefundTo;
  /** The spec's `expiresIn`. */
  readonly quoteTtlSeconds: number;
  /** The key for 1Click's signature of each quote; null: signatures are not checked. */
  readonly quoteKey: KeyObject | null;
}

const NOT_FOUND = 404;

/** Implements the spec's service on the 1Click Swap API of NEAR Intents. */
export class OneClickProvider extends DirectProvider {
  override readonly name = 'oneclick';
  override readonly deliversExactAmounts = true;
  override readonly limits: ProviderLimits;
  private readonly assets: OneClickAssets;
  private readonly reader: SwapReader;

  constructor(
    private readonly options: OneClickOptions,
    private readonly api: JsonApi,
    private readonly store: QuoteStore<SwapQuote>,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    super(api, store);
    const { maxConcurrency, timeoutMs, maxRpm } = options;
    this.limits = { maxConcurrency, batchSize: 1, timeoutMs, maxRpm };
    this.assets = new OneClickAssets(api, timers);
    this.reader = new SwapReader(api, store, clock);
  }

  override async checkQuote(request: QuoteRequest): Promise<void> {
    readOrder(request, await this.assets.get(), this.options.refundTo);
  }

  /** Never retries, and returns the quote only once it is stored. Also throws StoreUnavailable. */
  override async createQuote(request: QuoteRequest): Promise<Quote> {
    const { order, offer, createdAt, expiresAt } = await this.ask(request, readOffer);
    const quoteId = randomUUID();
    const stored = toStoredSwap({ quoteId, createdAt, expiresAt }, order, offer);
    const shown = toQuote(quoteId, order, offer, this.options.quoteTtlSeconds);
    const place = placeOf(offer.depositAddress, offer.memo);
    return this.keepQuote(shown, () => this.store.add(place, stored));
  }

  override async estimateReceived(request: QuoteRequest): Promise<string> {
    const { order, offer } = await this.ask(request, readPrice, true);
    return fromRaw(offer.amountOut, order.to.decimals);
  }

  /** Passes the hash on as a hint. The hint has no effect if 1Click sees the deposit by itself, and may be repeated. */
  override async submitDeposit(quoteId: string, txHash: string): Promise<boolean> {
    const quote = isQuoteId(quoteId) ? (await this.store.find([quoteId])).get(quoteId) : undefined;
    if (quote === undefined) throw new ProviderRefused(NOT_FOUND, 'There is no such quote.');
    const { depositAddress, memo } = quote;
    const body = { txHash, depositAddress, ...(memo === null ? {} : { memo }) };
    const answer = valueOrError(await this.api.post('/v0/deposit/submit', body));
    if (answer.kind === 'json') return true;
    throw refused(`The payment provider does not take this transaction: ${answer.message}`, 'txHash');
  }

  override async readLostQuote(quoteId: string, quoteText: string): Promise<LostQuote | null> {
    if (!isQuoteId(quoteId) || (await this.mayKnow(quoteId))) return null;
    const quote = fieldsOf(JSON.parse(quoteText));
    const kept = readKeptQuote(quoteId, quote);
    const assets = await this.assets.get();
    return new LostSwap(this.reader, this.store, {
      kept,
      memo: readWord(fieldsOf(quote['send'])['depositMemo']),
      from: knownAsset(assets, kept.from, 'from', TITLE),
      to: knownAsset(assets, kept.to, 'to', TITLE),
    });
  }

  override readStatuses(ids: readonly string[], onAnswer: OnAnswer, known?: KnownReports): Promise<void> {
    return readEach(this.store, ids, onAnswer, (quote) => this.reader.read(quote, known?.onSent));
  }

  override async readChains(): Promise<string> {
    return assetChainsText(await this.assets.readAgain());
  }

  override async searchCurrencies(search: CurrencySearch): Promise<string> {
    return assetCurrenciesText(await this.assets.get(), search);
  }

  /** A dry request opens no deposit address. */
  private async ask<T>(request: QuoteRequest, read: Read<T>, isDry = false): Promise<Asked<T>> {
    const { refundTo, quoteTtlSeconds, quoteKey } = this.options;
    const order = readOrder(request, await this.assets.get(), refundTo);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + quoteTtlSeconds * 1_000);
    const body = quoteBody(order, expiresAt, this.options, isDry);
    const answer = valueOrError(await this.api.post('/v0/quote', body));
    if (answer.kind === 'error') throw refusalOf(answer.message, order);
    const reading = read(answer.value, order, body, quoteKey);
    if (reading.kind === 'unsafe') throw new UnfitQuote(reading.check);
    return { order, offer: reading.value, createdAt, expiresAt };
  }
}

/** Reads an answer of `POST /v0/quote`. */
type Read<T> = (value: unknown, order: Order, body: QuoteBody, key: KeyObject | null) => Reading<T>;

interface Asked<T> {
  readonly order: Order;
  readonly offer: T;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
