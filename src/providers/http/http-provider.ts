import type { OnApplicationShutdown } from '@nestjs/common';

import { readQuote, type Quote, type QuoteRequest } from '../../domain/payment/quote.ts';
import { isQuoteId, isRecord } from '../../domain/payment/reading.ts';
import {
  PaymentProvider,
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderRefused,
  ProviderUnavailable,
  type CurrencySearch,
  type ProviderLimits,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import { Connection, type ConnectionOptions, type Question } from '../connection/provider-connection.ts';
import { readJson, readJsonToPassOn, readLongJson, type Json } from '../connection/parse-provider-json.ts';
import { unavailable } from '../connection/read-response.ts';
import { Slots } from '../connection/request-slots.ts';
import { readAnswer } from './parse-answer.ts';
import { isAboutRequest, readRefusal, type Refusal } from './parse-refusal.ts';
import { readStatusAnswer } from './parse-status-answer.ts';

export interface HttpProviderOptions extends ConnectionOptions {
  /** Status requests a minute, shared by all replicas; 0: no limit. */
  readonly maxRpm: number;
}

const CHAINS_PATH = '/api/chains';
const MAX_LIST_BYTES = 4 * 1024 * 1024;
const STOPPING = unavailable('stopping', null);
const UNKNOWN_ID: StatusAnswer = { kind: 'refused', httpStatus: 404, message: 'There is no such quote.' };

/** Any service that speaks the spec, over HTTP; one request for each status. */
export class HttpProvider extends PaymentProvider implements OnApplicationShutdown {
  override readonly name = 'http';
  override readonly limits: ProviderLimits;
  private readonly connection: Connection;
  private readonly slots: Slots;
  private readonly apiKey: string | null;

  constructor(options: HttpProviderOptions) {
    super();
    const { apiKey, maxConcurrency, timeoutMs, maxRpm } = options;
    this.limits = { maxConcurrency, batchSize: 1, timeoutMs, maxRpm };
    this.apiKey = apiKey;
    this.connection = new Connection(options);
    this.slots = new Slots(maxConcurrency);
  }

  /** Never sent twice: a quote that was made but whose answer got lost only expires. */
  override async createQuote(request: QuoteRequest): Promise<Quote> {
    const { fromChainId, toChainId, fromToken, toToken, amount, recipient } = request;
    const body = { fromChainId, toChainId, fromToken, toToken, amount, recipient };
    const question = { path: '/api/quote', body, read: readLongJson };
    const { value, text } = await this.demand(question);
    const quote = readQuote(value, text);
    if (quote === null) throw new ProviderUnavailable('a quote without id or deposit address');
    return quote;
  }

  override async readStatuses(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const [first] = quoteIds;
    // As the tracker asks: the bookkeeping of a batch would cost each poll as much as reading its answer.
    if (first !== undefined && quoteIds.length === 1 && signal === undefined) {
      onAnswer(first, await this.slots.run(true, () => this.readStatus(first)));
      return;
    }
    const ids = [...new Set(quoteIds)];
    const isUrgent = ids.length === 1;
    let next = 0;
    const takeNext = (): string | undefined => ids[next++];
    const answerRest = (): void => {
      for (let id = takeNext(); id !== undefined; id = takeNext()) onAnswer(id, STOPPING);
    };
    const readOne = async (): Promise<void> => {
      const id = takeNext();
      if (id !== undefined) onAnswer(id, await this.readStatus(id));
    };
    const work = async (): Promise<void> => {
      while (next < ids.length) await this.slots.run(isUrgent, readOne);
    };
    signal?.addEventListener('abort', answerRest, { once: true });
    if (signal?.aborted === true) answerRest();
    try {
      await Promise.all(Array.from({ length: Math.min(ids.length, this.limits.maxConcurrency) }, work));
    } finally {
      signal?.removeEventListener('abort', answerRest);
    }
  }

  override urlOf(asked: 'chains' | 'status'): string {
    return this.connection.urlOf({ path: asked === 'chains' ? CHAINS_PATH : '/api/status/{id}' });
  }

  override async readChains(): Promise<string> {
    return this.readList('chains', { path: CHAINS_PATH });
  }

  override async searchCurrencies(search: CurrencySearch): Promise<string> {
    return this.readList('currencies', { path: '/api/currencies', body: search });
  }

  /** To be called after everything that asks has stopped: lets what is in flight end and closes the connections. */
  close(): Promise<void> {
    return this.connection.close();
  }

  /** Whoever asked has stopped or given up by then: what is still in flight is of use to nobody. */
  onApplicationShutdown(): Promise<void> {
    return this.connection.close(0);
  }

  private async readStatus(quoteId: string): Promise<StatusAnswer> {
    // Such an id could reach another path of the provider's, and can't be one of a stored payment.
    if (!isQuoteId(quoteId)) return UNKNOWN_ID;
    const path = `/api/status/${encodeURIComponent(quoteId)}`;
    const reply = await this.connection.ask({ path, read: readJson });
    return readStatusAnswer(readAnswer(reply, this.apiKey));
  }

  private async readList(member: string, question: Pick<Question, 'path' | 'body'>): Promise<string> {
    const limits = { maxAnswerBytes: MAX_LIST_BYTES, read: readJsonToPassOn };
    const { value, text } = await this.demand({ ...question, ...limits });
    if (!isRecord(value) || !Array.isArray(value[member])) throw new ProviderUnavailable('unreadable answer');
    return text;
  }

  /** For callers that wait: they go before the polling, and what is no JSON answer is thrown. */
  private async demand(question: Question): Promise<Json> {
    const reply = await this.slots.run(true, () => this.connection.ask(question));
    const body = reply.kind === 'json' ? reply.value : null;
    if (reply.httpStatus === 404 && !isAboutRequest(body, question.path))
      throw new ProviderMisconfigured(this.connection.urlOf(question));
    const answer = readAnswer(reply, this.apiKey);
    if (answer.kind === 'credentials') throw new ProviderCredentials();
    if (answer.kind === 'unavailable') throw new ProviderUnavailable(answer.reason, answer.retryAfterMs);
    if (answer.kind === 'refused') throw refused(answer);
    const isRefused = isRecord(answer.value) && answer.value['success'] === false;
    if (!isRefused) return answer;
    // Without input of ours there is nothing to refuse.
    if (question.body === undefined) throw new ProviderUnavailable('unreadable answer');
    throw refused(readRefusal(422, answer.value, this.apiKey));
  }
}

function refused({ httpStatus, message, field }: Refusal): ProviderRefused {
  return new ProviderRefused(httpStatus, message, field);
}
