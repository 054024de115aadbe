import { isTooManyRequests } from '../../domain/rate-limit/rate-limit-transitions.ts';
import type { OnApplicationShutdown } from '@nestjs/common';

import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import { readQuote, type Quote, type QuoteRequest } from '../../domain/payment/quote.ts';
import { isQuoteId, isRecord } from '../../domain/payment/reading.ts';
import { digestOf } from '../../domain/payment/report.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  PaymentProvider,
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderRefused,
  ProviderUnavailable,
  type KnownReports,
  type OnAnswer,
  type ProviderLimits,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import {
  Connection,
  type ConnectionOptions,
  type ProviderRequest,
} from '../connection/provider-connection.ts';
import {
  parseJson,
  parseForwardedJson,
  parseQuoteJson,
  type Json,
} from '../connection/parse-provider-json.ts';
import { isSuccess, readResponse, unavailableAfter, type RawResponse } from '../connection/read-response.ts';
import type { ExchangeEnd } from '../../platform/outbound/http-exchange.ts';
import { UNKNOWN_ID } from '../shared/read-each.ts';
import {
  parseAnswer,
  parseRefusal,
  parseStatusAnswer,
  type Refusal,
  refusesRequest,
} from './parse-answer.ts';

export interface HttpProviderOptions extends ConnectionOptions {
  /** Status requests a minute, shared by all replicas; 0: no limit. */
  readonly maxRpm: number;
}

const CHAINS_PATH = '/api/chains';
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** A payment service that implements the spec over HTTP; each status takes one request. */
export class HttpProvider extends PaymentProvider implements OnApplicationShutdown {
  override readonly name = 'http';
  override readonly limits: ProviderLimits;
  private readonly connection: Connection;
  private readonly apiKey: string | null;

  constructor(options: HttpProviderOptions, clock?: Clock) {
    super();
    const { apiKey, maxConcurrency, timeoutMs, maxRpm } = options;
    this.limits = { maxConcurrency, batchSize: 1, timeoutMs, maxRpm };
    this.apiKey = apiKey;
    this.connection = new Connection(options, clock);
  }

  /** The spec has no refund address: a refund to another address than the requested one could be lost. */
  override checkQuote({ refundTo }: QuoteRequest): Promise<void> {
    if (refundTo === undefined) return Promise.resolve();
    return Promise.reject(new ProviderRefused(422, 'This provider takes no refund address.', 'refundTo'));
  }

  /** Never retries: a quote whose response was lost only expires. */
  override async createQuote(request: QuoteRequest): Promise<Quote> {
    const { fromChainId, toChainId, fromToken, toToken, amount, recipient } = request;
    const body = { fromChainId, toChainId, fromToken, toToken, amount, recipient };
    const quoteRequest = { path: '/api/quote', body, parse: parseQuoteJson };
    const { value, text } = await this.sendOrThrow(quoteRequest);
    const quote = readQuote(value, text);
    if (quote === null) throw new ProviderUnavailable('the quote has no id or no deposit address');
    return quote;
  }

  override readStatuses(ids: readonly string[], onAnswer: OnAnswer, known?: KnownReports): Promise<void> {
    const [first] = ids;
    // The call that the tracker usually makes.
    if (first !== undefined && ids.length === 1) return this.readStatus(first, onAnswer, known, true);
    const all = [...new Set(ids)];
    return Promise.all(all.map((id) => this.readStatus(id, onAnswer, known, false))).then(() => undefined);
  }

  override urlOf(asked: 'chains' | 'status'): string {
    return this.connection.urlOf({ path: asked === 'chains' ? CHAINS_PATH : '/api/status/{id}' });
  }

  override async readChains(): Promise<string> {
    return this.fetchList('chains', { path: CHAINS_PATH });
  }

  override async searchCurrencies(search: CurrencySearch): Promise<string> {
    return this.fetchList('currencies', { path: '/api/currencies', body: search });
  }

  /** Waits for the requests in flight and closes the connections. Call it after all callers have stopped. */
  close(): Promise<void> {
    return this.connection.close();
  }

  /** Aborts the requests in flight: in this phase of the shutdown their callers have stopped. */
  onApplicationShutdown(): Promise<void> {
    return this.connection.close(0);
  }

  private readStatus(
    quoteId: string,
    onAnswer: OnAnswer,
    known: KnownReports | undefined,
    isUrgent: boolean,
  ): Promise<void> {
    return new Promise((resolve) => {
      const answered = (answer: StatusAnswer): void => {
        resolve();
        onAnswer(quoteId, answer);
      };
      // An id of another form could address another path of the provider, and no stored payment has such an id.
      if (!isQuoteId(quoteId)) return answered(UNKNOWN_ID);
      const end: ExchangeEnd = {
        onSent: known?.onSent,
        onResponse: (status, retryAfter, body) => {
          const digest = known?.digestOf(quoteId) ?? null;
          if (digest === null || !isSuccess(status) || digestOf(body) !== digest)
            return answered(this.answerOf({ status, retryAfter, body }));
          resolve();
          known?.onUnchanged(quoteId);
        },
        onFailure: (failure) => answered(unavailableAfter(failure)),
      };
      this.connection.get(`/api/status/${encodeURIComponent(quoteId)}`, end, isUrgent);
    });
  }

  private answerOf(response: RawResponse): StatusAnswer {
    const read = readResponse(response, parseJson, this.connection.now());
    return parseStatusAnswer(parseAnswer(read, this.apiKey));
  }

  private async fetchList(member: string, request: Pick<ProviderRequest, 'path' | 'body'>): Promise<string> {
    const { value, text } = await this.sendOrThrow({
      ...request,
      maxResponseBytes: MAX_LIST_BYTES,
      parse: parseForwardedJson,
    });
    if (!isRecord(value) || !Array.isArray(value[member])) throw new ProviderUnavailable('unreadable answer');
    return text;
  }

  /** Sends a request before polls, since an API client waits for it. Throws the provider's errors. */
  private async sendOrThrow(request: Omit<ProviderRequest, 'isUrgent'>): Promise<Json> {
    const response = await this.connection.send({ ...request, isUrgent: true });
    const body = response.kind === 'json' ? response.value : null;
    if (response.httpStatus === 404 && !refusesRequest(body, request.path))
      throw new ProviderMisconfigured(this.connection.urlOf(request));
    const answer = parseAnswer(response, this.apiKey);
    if (answer.kind === 'credentials') throw new ProviderCredentials();
    if (answer.kind === 'unavailable')
      throw new ProviderUnavailable(answer.reason, answer.retryAfterMs, isTooManyRequests(answer.httpStatus));
    if (answer.kind === 'refused') throw refused(answer);
    const isRefused = isRecord(answer.value) && answer.value['success'] === false;
    if (!isRefused) return answer;
    // The provider cannot refuse the input of a GET, which has none.
    if (request.body === undefined) throw new ProviderUnavailable('unreadable answer');
    throw refused(parseRefusal(422, answer.value, this.apiKey));
  }
}

function refused({ httpStatus, message, field }: Refusal): ProviderRefused {
  return new ProviderRefused(httpStatus, message, field);
}
