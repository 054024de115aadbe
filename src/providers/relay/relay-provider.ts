import { randomUUID } from 'node:crypto';

import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import type { Quote, QuoteRequest } from '../../domain/payment/quote.ts';
import { isQuoteId } from '../../domain/payment/reading.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ExtraRequests,
  KnownReports,
  LostQuote,
  OnAnswer,
  ProviderLimits,
} from '../../ports/payment-provider.ts';
import type { ReconcileState } from '../../ports/provider-view.ts';
import type { Timers } from '../../ports/timers.ts';
import { UnfitQuote } from '../../ports/unfit-quote.ts';
import { chainsText } from '../shared/currencies.ts';
import { DirectProvider } from '../shared/direct-provider.ts';
import { fieldsOf } from '../shared/fields.ts';
import { readKeptQuote } from '../shared/kept-quote.ts';
import { readOrder, toQuoteBody, type QuoteOrder, type QuoteRequestOptions } from './quote/relay-order.ts';
import { parseEstimate, parseRelayQuote, type Offer } from './quote/parse-relay-quote.ts';
import { valueOrThrow } from './refusals.ts';
import type { RelayApi } from './relay-api.ts';
import { RelayChains } from './catalog/relay-chains.ts';
import { RelayCurrencies } from './catalog/relay-currencies.ts';
import { toQuote, toStoredQuote } from './quote/relay-quote.ts';
import type { RelayStore } from './quote/relay-store.ts';
import { LostRelayQuote } from './status/lost-quote.ts';
import { RECONCILE_EVERY_MS } from './reconcile/relay-reconciler.ts';
import { StatusQueries } from './status/status-queries.ts';
import { BATCH_SIZE, firstReport, readStatuses } from './status/relay-status-reader.ts';

const MINUTE_MS = 60_000;

export interface RelayOptions extends QuoteRequestOptions {
  /** Status requests a minute, shared by all replicas. */
  readonly maxRpm: number;
  /** Quotes a minute, shared by all replicas; 0: no limit. */
  readonly maxQuotesRpm: number;
  readonly timeoutMs: number;
  readonly maxConcurrency: number;
  /** The spec's `expiresIn`; Relay's quotes have no expiry. */
  readonly quoteTtlSeconds: number;
}

export const NAME = 'relay';

/** Implements the spec's service directly on Relay's public API. */
export class RelayProvider extends DirectProvider {
  override readonly name = NAME;
  override readonly deliversExactAmounts = true;
  override readonly limits: ProviderLimits;
  private readonly queries: StatusQueries;
  private readonly chains: RelayChains;
  private readonly currencies: RelayCurrencies;

  constructor(
    private readonly options: RelayOptions,
    private readonly api: RelayApi,
    private readonly store: RelayStore,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    super(api, store);
    const { maxConcurrency, timeoutMs, maxRpm, maxQuotesRpm: maxQuotesPerMinute } = options;
    const ownRpm = MINUTE_MS / RECONCILE_EVERY_MS;
    this.limits = { maxConcurrency, batchSize: BATCH_SIZE, timeoutMs, maxRpm, ownRpm, maxQuotesPerMinute };
    this.queries = new StatusQueries(api, timers);
    this.chains = new RelayChains(api, timers);
    this.currencies = new RelayCurrencies(api, this.chains, timers);
  }

  override reconciledTo(): Promise<ReconcileState | null> {
    return this.store.reconciledTo();
  }

  override async checkQuote(request: QuoteRequest): Promise<void> {
    toQuoteBody(readOrder(request, await this.chains.get()), this.options);
  }

  /** Never retries, and returns the quote only once it is stored. Also throws StoreUnavailable. */
  override async createQuote(request: QuoteRequest): Promise<Quote> {
    const order = readOrder(request, await this.chains.get());
    const answer = await this.api.post('/quote/v2', toQuoteBody(order, this.options));
    const reading = parseRelayQuote(valueOrThrow(answer), order);
    if (reading.kind === 'unsafe') throw new UnfitQuote(reading.check);
    return this.keep(order, reading.offer);
  }

  override async estimateReceived(request: QuoteRequest): Promise<string> {
    const order = readOrder(request, await this.chains.get());
    const answer = await this.api.post('/quote/v2', toQuoteBody(order, this.options, true));
    const reading = parseEstimate(valueOrThrow(answer), order);
    if (reading.kind === 'unsafe') throw new UnfitQuote(reading.check);
    return reading.amount;
  }

  override async readLostQuote(quoteId: string, quoteText: string): Promise<LostQuote | null> {
    if (!isQuoteId(quoteId) || (await this.store.find([quoteId])).has(quoteId)) return null;
    const kept = readKeptQuote(quoteId, fieldsOf(JSON.parse(quoteText)));
    const { queries, store, clock } = this;
    const { quoteTtlSeconds: ttlSeconds } = this.options;
    return new LostRelayQuote({ queries, store, clock, ttlSeconds }, kept);
  }

  override readStatuses(
    quoteIds: readonly string[],
    onAnswer: OnAnswer,
    known?: KnownReports,
  ): Promise<ExtraRequests> {
    const { queries, store, clock } = this;
    const sources = { queries, store, clock, onSent: known?.onSent };
    return readStatuses(sources, quoteIds, onAnswer);
  }

  override async readChains(): Promise<string> {
    const chains = [...(await this.chains.readAgain()).values()];
    return chainsText(chains.filter(({ payable }) => payable.length > 0));
  }

  override searchCurrencies(search: CurrencySearch): Promise<string> {
    return this.currencies.search(search);
  }

  private async keep(order: QuoteOrder, offer: Offer): Promise<Quote> {
    const quoteId = randomUUID();
    const { quoteTtlSeconds } = this.options;
    const shown = toQuote(quoteId, order, offer, quoteTtlSeconds);
    const stored = toStoredQuote(quoteId, order, offer, this.clock.now(), quoteTtlSeconds);
    const quote = await this.keepQuote(shown, () => this.store.add(stored));
    return { ...quote, firstReport: firstReport(stored) };
  }
}
