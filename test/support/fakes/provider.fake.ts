import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';

import type { CurrencySearch } from '../../../src/domain/payment/currency-search.ts';
import { readQuote, type Quote, type QuoteRequest } from '../../../src/domain/payment/quote.ts';
import { readReport } from '../../../src/domain/payment/report.ts';
import {
  PaymentProvider,
  type ProviderLimits,
  type StatusAnswer,
} from '../../../src/ports/payment-provider.ts';

const CHAIN_IDS = [1, 10, 56, 137, 8453, 42161, 42220, 43114, 792703809];

export const CHAINS_TEXT = `{"success":true, "chains":[${CHAIN_IDS.map(
  (id) => `{"id":${id},"name":"Chain ${id}","shortName":"c${id}","nativeToken":"ETH"}`,
).join(',')}]}`;

/** A quote's text as a provider sends it, with spaces and unknown fields. */
export function quoteText(quoteId: string, extra = ''): string {
  return `{"success":true, "quoteId":"${quoteId}", "expiresIn":300, "send":{"depositAddress":"0xd${quoteId}"}${extra}}`;
}

/** A status answer that holds a report, as a provider sends it. */
export function reportOf(quoteId: string, status = 'AWAITING_DEPOSIT', extra = ''): StatusAnswer {
  const text = `{"success":true, "quoteId":"${quoteId}", "status":"${status}"${extra}}`;
  const report = readReport(JSON.parse(text), text);
  if (report === null) throw new Error(`not a report: ${text}`);
  return { kind: 'report', report };
}

export const NOT_FOUND: StatusAnswer = { kind: 'refused', httpStatus: 404, message: 'no such quote' };

/** A provider that gives the answers of a test, counts its requests, and can be delayed. */
export class FakeProvider extends PaymentProvider {
  limits: ProviderLimits = { maxConcurrency: 64, batchSize: 1, timeoutMs: 200, maxRpm: 0 };

  readonly quoteRequests: QuoteRequest[] = [];
  readonly statusReads: string[] = [];
  readonly searches: CurrencySearch[] = [];
  chainReads = 0;
  override deliversExactAmounts = false;

  /** The submitted hashes; null: the provider takes no hashes. */
  deposits: [quoteId: string, txHash: string][] | null = null;

  /** The function that answers the next call; tests set their own. */
  onQuote: (request: QuoteRequest) => Promise<string> | string = () => quoteText(randomUUID());
  onChains: () => Promise<string> | string = () => CHAINS_TEXT;
  onSearch: (search: CurrencySearch) => Promise<string> | string = () => '{"success":true,"currencies":[]}';
  onEstimate: (request: QuoteRequest) => Promise<string | null> | string | null = () => null;
  /** The answers by quote id; the provider does not know any other id. */
  readonly statuses = new Map<string, StatusAnswer>();

  private gate: Promise<void> = Promise.resolve();

  constructor(readonly name = 'http') {
    super();
  }

  get calls(): number {
    return this.quoteRequests.length + this.statusReads.length + this.searches.length + this.chainReads;
  }

  /** Quotes and statuses wait until the returned function is called. */
  hold(): () => void {
    const opening = new EventEmitter();
    this.gate = once(opening, 'open').then(() => undefined);
    return () => void opening.emit('open');
  }

  async createQuote(request: QuoteRequest): Promise<Quote> {
    this.quoteRequests.push(request);
    await this.gate;
    const text = await this.onQuote(request);
    const quote = readQuote(JSON.parse(text), text);
    if (quote === null) throw new Error(`not a quote: ${text}`);
    return quote;
  }

  override async submitDeposit(quoteId: string, txHash: string): Promise<boolean> {
    if (this.deposits === null) return false;
    this.deposits.push([quoteId, txHash]);
    return true;
  }

  override async estimateReceived(request: QuoteRequest): Promise<string | null> {
    return this.onEstimate(request);
  }

  async readStatuses(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => unknown,
  ): Promise<void> {
    this.statusReads.push(...quoteIds);
    await this.gate;
    for (const quoteId of new Set(quoteIds)) onAnswer(quoteId, this.statuses.get(quoteId) ?? NOT_FOUND);
  }

  async readChains(): Promise<string> {
    this.chainReads += 1;
    return this.onChains();
  }

  async searchCurrencies(search: CurrencySearch): Promise<string> {
    this.searches.push(search);
    return this.onSearch(search);
  }
}
