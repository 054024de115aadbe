import { randomUUID } from 'node:crypto';

import { Logger } from '@nestjs/common';

import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import { readEstimateMs } from '../../domain/payment/estimate.ts';
import type { Quote, QuoteRequest } from '../../domain/payment/quote.ts';
import { isQuoteId } from '../../domain/payment/reading.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  PaymentProvider,
  ProviderRefused,
  type ProviderLimits,
  type OnAnswer,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';
import { chainsText, currenciesText, findCurrencies, type Currency } from '../shared/currencies.ts';
import { unavailable } from '../connection/read-response.ts';
import { reportAnswer } from '../shared/read-each.ts';
import { CHAINS, chainOf } from './sandbox-chains.ts';
import { DIGITS_OF_STORY, storyOf, type Story } from './stories.ts';
import { readOrder } from './sandbox-order.ts';
import { buildQuote } from './sandbox-quote.ts';
import { SandboxStore } from './sandbox-store.ts';
import {
  responseAt,
  statusAt,
  type SandboxPayment,
  type SandboxResponse,
  type SandboxStatus,
} from './sandbox-status.ts';
import { autopayAt, expiryOf } from './story-phase.ts';
import { TOKENS, type Token } from './sandbox-tokens.ts';

export interface SandboxOptions {
  /** How many times faster than real time; divides every duration of new quotes. */
  readonly speed: number;
  /** False: a quote is paid only when a tester makes its deposit by hand. */
  readonly autopay: boolean;
  readonly maxRpm: number;
}

const MAX_CONCURRENCY = 64;
const BATCH_SIZE = 200;
const TIMEOUT_MS = 5_000;
const UNKNOWN = 'There is no payment with this id.';

/** Simulates the spec's whole service on the database, so that every outcome can be rehearsed without money. */
export class SandboxProvider extends PaymentProvider {
  readonly name = 'sandbox';
  override readonly isSimulated = true;
  readonly limits: ProviderLimits;
  private readonly log = new Logger(SandboxProvider.name);
  private readonly store: SandboxStore;

  constructor(
    queries: Queries,
    private readonly options: SandboxOptions,
    private readonly clock: Clock,
  ) {
    super();
    this.limits = {
      maxConcurrency: MAX_CONCURRENCY,
      batchSize: BATCH_SIZE,
      timeoutMs: TIMEOUT_MS,
      maxRpm: options.maxRpm,
    };
    this.store = new SandboxStore(queries, TIMEOUT_MS);
  }

  async createQuote(request: QuoteRequest, named?: string): Promise<Quote> {
    const { speed, autopay } = this.options;
    const story = chosenStory(request, named);
    const quote = buildQuote(randomUUID(), readOrder(request), speed, story);
    const createdAt = this.clock.now();
    await this.store.add({
      quote,
      story,
      speed,
      createdAt,
      expiresAt: expiryOf(createdAt, speed),
      depositedAt: autopay ? autopayAt(story, createdAt, speed) : null,
      reportedStages: {},
    });
    const { quoteId, expiresIn, estimatedTime, send } = quote;
    const expectedMs = readEstimateMs(estimatedTime);
    const { depositAddress } = send;
    return { quoteId, expiresIn, expectedMs, depositAddress, text: JSON.stringify(quote) };
  }

  /** In the story whose deposit the service does not see by itself, this hint makes the service see it. */
  override async submitDeposit(quoteId: string, _txHash: string): Promise<boolean> {
    await this.store.see(quoteId, this.clock.now());
    return true;
  }

  async readStatuses(quoteIds: readonly string[], onAnswer: OnAnswer): Promise<void> {
    const wanted = [...new Set(quoteIds)];
    for (let start = 0; start < wanted.length; start += BATCH_SIZE) {
      const batch = wanted.slice(start, start + BATCH_SIZE);
      const found = await this.findBatch(batch);
      const now = this.clock.now();
      const pending: Promise<void>[] = [];
      for (const id of batch) {
        const payment = found instanceof Map ? found.get(id) : undefined;
        const response = payment === undefined ? null : responseAt(payment, now);
        const recorded = onAnswer(id, found instanceof Map ? answerOf(response) : found);
        if (typeof response?.newStage !== 'string') continue;
        const noting = this.recordStage(id, response.newStage, now, recorded);
        // Does not wait for a report that is still being recorded: that may take as long as the database is unavailable.
        if (!(recorded instanceof Promise)) pending.push(noting);
      }
      await Promise.all(pending);
    }
  }

  readChains(): Promise<string> {
    return Promise.resolve(chainsText(CHAINS));
  }

  searchCurrencies(search: CurrencySearch): Promise<string> {
    return Promise.resolve(currenciesText(searchSandbox(search)));
  }

  /** Makes the deposit of a quote now; has no effect if the deposit was made before. */
  async deposit(quoteId: string): Promise<SandboxStatus> {
    if (!isQuoteId(quoteId)) throw new ProviderRefused(404, UNKNOWN);
    const now = this.clock.now();
    await this.store.deposit(quoteId, now);
    const payment = (await this.store.find([quoteId])).get(quoteId);
    if (payment === undefined) throw new ProviderRefused(404, UNKNOWN);
    return statusAt(payment, now);
  }

  /** Lets the story proceed once the report of the stage is recorded; after a failure the stage is reported once more. */
  private async recordStage(id: string, stage: string, reportedAt: Date, recorded: unknown): Promise<void> {
    try {
      if ((await recorded) !== false) await this.store.recordStage(id, stage, reportedAt);
    } catch (error) {
      this.log.debug(`stage ${stage} of ${id} is reported once more: ${(error as Error).message}`);
    }
  }

  private async findBatch(quoteIds: readonly string[]): Promise<Map<string, SandboxPayment> | StatusAnswer> {
    try {
      return await this.store.find(quoteIds.filter(isQuoteId));
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.log.error(`Reading statuses failed: ${String(error)}`);
      return unavailable('database', null);
    }
  }
}

function chosenStory({ amount }: QuoteRequest, name: string | undefined): Story {
  if (name === undefined) return storyOf(amount);
  const stories = [...DIGITS_OF_STORY.keys()];
  const story = stories.find((each) => each === name);
  if (story !== undefined) return story;
  throw new ProviderRefused(400, `metadata.story must be one of ${stories.join(', ')}.`, 'metadata.story');
}

function answerOf(response: SandboxResponse | null): StatusAnswer {
  if (response === null) return { kind: 'refused', httpStatus: 404, message: UNKNOWN };
  if (response.httpStatus === 500) return unavailable('HTTP 500', 500);
  return reportAnswer(JSON.stringify(response.body));
}

const CURRENCIES = TOKENS.map(toCurrency);
const DEFAULTS: ReadonlySet<Currency> = new Set(CURRENCIES.filter((_, index) => TOKENS[index]?.isDefault));

/** Finds the sandbox's tokens. */
export function searchSandbox(search: CurrencySearch): Currency[] {
  return findCurrencies(CURRENCIES, search, (currency) => DEFAULTS.has(currency));
}

function toCurrency(token: Token): Currency {
  return {
    chainId: token.chainId,
    address: token.address,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals,
    vmType: chainOf(token.chainId)?.vmType ?? 'evm',
    metadata: { logoURI: token.logoUri, verified: token.verified },
  };
}
