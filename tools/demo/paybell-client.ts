import { randomUUID } from 'node:crypto';

import type { ArrivedEvent } from './arrived-event.ts';
import type { Story } from './stories.ts';

const ANSWER_MS = 5_000;

/** The parts of a quote that the demo uses. */
export interface Quote {
  readonly quoteId: string;
  /** The address to which the payer sends the money. */
  readonly address: string;
  /** The provider that made the quote; only a Paybell with several providers names it. */
  readonly provider: string | undefined;
}

interface QuoteAnswer {
  readonly quoteId: string;
  readonly provider?: string;
  readonly send: { readonly depositAddress: string };
}

/** A shop's backend: uses only the public API of Paybell. */
export class PaybellClient {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
    private readonly signal: AbortSignal,
  ) {}

  async isReady(): Promise<boolean> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await fetch(`${this.baseUrl}/health/ready`, { signal }).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok ?? false;
  }

  /** Answers the secret that every webhook to `url` will be signed with. */
  async createEndpoint(url: string): Promise<string> {
    const endpoint = await this.call('POST', '/api/webhook-endpoints', { url, description: 'demo shop' });
    return (endpoint as { secret: string }).secret;
  }

  async createQuote({ request, orderId, provider, metadata = {} }: Story): Promise<Quote> {
    const body = { ...request, provider, orderId, metadata: { shop: 'demo', ...metadata } };
    const quote = await this.call('POST', '/api/quote', body, { 'idempotency-key': randomUUID() });
    const { quoteId, send, provider: carrier } = quote as QuoteAnswer;
    return { quoteId, address: send.depositAddress, provider: carrier };
  }

  async submitDeposit(quoteId: string, txHash: string): Promise<void> {
    await this.call('POST', `/api/payments/${quoteId}/deposit`, { txHash });
  }

  async readEvents(quoteId: string): Promise<ArrivedEvent[]> {
    const events = await this.call('GET', `/api/payments/${quoteId}/events`);
    return (events as { data: ArrivedEvent[] }).data;
  }

  private async call(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const answer = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { 'x-api-key': this.key, 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }
}
