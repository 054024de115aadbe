import { randomUUID } from 'node:crypto';

import { addressKey } from '../../domain/chains/address-key.ts';
import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import type { Quote, QuoteRequest } from '../../domain/payment/quote.ts';
import type { Clock } from '../../ports/clock.ts';
import { ProviderAtCapacity } from '../../ports/provider-at-capacity.ts';
import type { KnownReports, OnAnswer, ProviderLimits } from '../../ports/payment-provider.ts';
import type { Capacity } from '../../ports/provider-view.ts';
import type { Timers } from '../../ports/timers.ts';
import { UnfitQuote } from '../../ports/unfit-quote.ts';
import { type JsonApi, valueOrError } from '../shared/json-api.ts';
import { DirectProvider } from '../shared/direct-provider.ts';
import { assetChainsText, assetCurrenciesText } from '../shared/listed-assets.ts';
import type { QuoteStore } from '../shared/quote-store.ts';
import { fromRaw } from '../shared/raw-amount.ts';
import { readEach } from '../shared/read-each.ts';
import { type Asset, type Assets, ChainflipAssets } from './assets.ts';
import { type ChannelQuote, toStoredChannel } from './channel-quote.ts';
import { ChainflipEnvironment } from './environment.ts';
import { CHANNEL_LIVES_MS, OpenChannels } from './open-channels.ts';
import { openByBroker, openChannel, type Opened } from './open-channel.ts';
import { type Order, readOrder, refusalOf, refuseTooLittle } from './order.ts';
import { type Price, readPrice, type Terms } from './price.ts';
import { SwapReader } from './swap-reader.ts';
import { toQuote } from './to-quote.ts';

export interface ChainflipOptions extends Terms {
  /** Status requests a minute, shared by all replicas. */
  readonly maxRpm: number;
  readonly maxQuotesRpm: number;
  readonly timeoutMs: number;
  readonly openTimeoutMs: number;
  readonly maxConcurrency: number;
  readonly refundTo: ReadonlyMap<string, string>;
  /** The spec's `expiresIn`, unless the channel lives shorter. */
  readonly quoteTtlSeconds: number;
  readonly commissionBps: number;
  /** How many channels the backend allows for each recipient and pair. */
  readonly maxChannels: number;
}

/** The APIs of Chainflip that the adapter uses. */
export interface ChainflipApis {
  readonly backend: JsonApi;
  /** The backend, with the longer time-out that opening a channel needs. */
  readonly opening: JsonApi;
  /** Opens channels in place of the backend; null: there is none. */
  readonly broker: JsonApi | null;
  /** The RPC of the state chain; null: there is none. */
  readonly rpc: JsonApi | null;
}

const HOUR_MS = 3_600_000;
/** A deposit just before a channel ends may be lost, and Bitcoin's estimate may be off by an hour or more. */
const MARGIN_MS = HOUR_MS;
const SLOW_MARGIN_MS = 3 * HOUR_MS;
/** Chainflip gives an address to another channel only after twice a channel's life. */
const ADDRESS_REUSED_AFTER_MS = 2 * CHANNEL_LIVES_MS;

/** Implements the spec's service on Chainflip's deposit channels. */
export class ChainflipProvider extends DirectProvider {
  override readonly name = 'chainflip';
  override readonly limits: ProviderLimits;
  private readonly assets: ChainflipAssets;
  private readonly environment: ChainflipEnvironment;
  private readonly reader: SwapReader;
  private readonly channels: OpenChannels;

  constructor(
    private readonly options: ChainflipOptions,
    private readonly apis: ChainflipApis,
    private readonly store: QuoteStore<ChannelQuote>,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    super({ close: (withinMs) => closeAll(apis, withinMs) }, store);
    const { maxConcurrency, timeoutMs, maxRpm, maxQuotesRpm: maxQuotesPerMinute } = options;
    const quoteTimeoutMs = timeoutMs + options.openTimeoutMs;
    this.limits = { maxConcurrency, batchSize: 1, timeoutMs, quoteTimeoutMs, maxRpm, maxQuotesPerMinute };
    this.assets = new ChainflipAssets(apis.backend, timers);
    this.environment = new ChainflipEnvironment(apis.rpc, timers);
    this.reader = new SwapReader(apis.backend, store, clock);
    this.channels = new OpenChannels(store, options.maxChannels, clock, timers);
  }

  override async capacity(): Promise<Capacity | null> {
    // Channels that a broker opens have no such limit, and are not counted.
    return this.apis.broker === null ? this.channels.most() : null;
  }

  override async checkQuote(request: QuoteRequest): Promise<void> {
    this.channels.refuseFull(await this.orderOf(request));
  }

  /** Never retries, and returns the quote only once it is stored. Also throws StoreUnavailable. */
  override async createQuote(request: QuoteRequest): Promise<Quote> {
    const order = await this.orderOf(request);
    const price = await this.priceOf(order);
    const createdAt = this.clock.now();
    const opened = await this.open(order, price);
    const { depositAddress } = opened;
    const closesAt = opened.closesAt ?? new Date(createdAt.getTime() + CHANNEL_LIVES_MS);
    const expiresIn = this.ttlOf(order.from, closesAt.getTime() - createdAt.getTime());
    const quoteId = randomUUID();
    const expiresAt = new Date(createdAt.getTime() + expiresIn * 1_000);
    const stored = toStoredChannel({ quoteId, createdAt, expiresAt }, order, price, opened, closesAt);
    return this.keepQuote(toQuote(quoteId, order, price, depositAddress, expiresIn), async () => {
      const place = addressKey(depositAddress);
      await this.store.release(place, new Date(createdAt.getTime() - ADDRESS_REUSED_AFTER_MS));
      await this.store.add(place, stored);
    });
  }

  override async estimateReceived(request: QuoteRequest): Promise<string> {
    const order = await this.orderOf(request);
    return fromRaw((await this.priceOf(order)).egress, order.to.decimals);
  }

  override readStatuses(ids: readonly string[], onAnswer: OnAnswer, known?: KnownReports): Promise<void> {
    return readEach(this.store, ids, onAnswer, (quote) => this.reader.read(quote, known?.onSent));
  }

  override async readChains(): Promise<string> {
    return assetChainsText(listed(await this.assets.readAgain()));
  }

  override async searchCurrencies(search: CurrencySearch): Promise<string> {
    return assetCurrenciesText(listed(await this.assets.get()), search);
  }

  private async orderOf(request: QuoteRequest): Promise<Order> {
    const [assets, environment] = await Promise.all([this.assets.get(), this.environment.now()]);
    const order = readOrder(request, assets, this.options.refundTo);
    refuseTooLittle(order, environment.leastDeposit(order.from) ?? 0n);
    return order;
  }

  /** Reads a price without opening a channel. */
  private async priceOf(order: Order): Promise<Price> {
    const { from, to, amount } = order;
    const { commissionBps } = this.options;
    const query = new URLSearchParams({
      srcChain: from.word,
      srcAsset: from.symbol,
      destChain: to.word,
      destAsset: to.symbol,
      amount,
      // The backend opens its channels without a commission.
      ...(commissionBps > 0 && this.apis.broker !== null
        ? { brokerCommissionBps: String(commissionBps) }
        : {}),
    });
    const answer = valueOrError(
      await this.apis.backend.get(`/v2/quote?${query.toString()}`, { isUrgent: true }),
    );
    if (answer.kind === 'error') throw refusalOf(answer.message, order);
    const reading = readPrice(answer.value, order, this.options);
    if (reading.kind === 'unsafe') throw new UnfitQuote(reading.check);
    const { maxRetryBlocks } = await this.environment.now();
    const { retryBlocks } = reading.value;
    return { ...reading.value, retryBlocks: Math.min(retryBlocks, maxRetryBlocks ?? retryBlocks) };
  }

  private async open(order: Order, price: Price): Promise<Opened> {
    const { opening, broker } = this.apis;
    try {
      const reading =
        broker === null
          ? await openChannel(opening, order, price)
          : await openByBroker(broker, order, price, this.options.commissionBps);
      if (reading.kind === 'unsafe') throw new UnfitQuote(reading.check);
      return reading.value;
    } catch (error) {
      if (error instanceof ProviderAtCapacity) this.channels.noteFull(order);
      throw error;
    }
  }

  private ttlOf({ chain }: Asset, livesMs: number): number {
    const marginMs = chain.vmType === 'bvm' ? SLOW_MARGIN_MS : MARGIN_MS;
    // A test network's channels live for two hours.
    const usableMs = Math.max(livesMs - marginMs, livesMs / 2);
    return Math.max(1, Math.min(this.options.quoteTtlSeconds, Math.floor(usableMs / 1_000)));
  }
}

async function closeAll(apis: ChainflipApis, withinMs?: number): Promise<void> {
  const { backend, opening, broker, rpc } = apis;
  const all = [backend, opening, broker, rpc].filter((api) => api !== null);
  await Promise.all(all.map((api) => api.close(withinMs)));
}

function listed({ from, to }: Assets): readonly Asset[] {
  return [...new Set([...from, ...to])];
}
