import { randomUUID } from 'node:crypto';

import { HttpReceiver, type ReceivedRequest, type Script, type ScriptedAnswer } from './http-receiver.ts';
import { ProviderCalls } from './provider-calls.ts';
import { CHAINS, CURRENCIES, quoteObject, statusObject } from './provider-objects.ts';

type Json = Record<string, unknown>;
type Failure = ScriptedAnswer | 'hang' | 'reset';

const STATUS_PATH = /^\/api\/status\/([^/?]+)$/;

/** A provider of the specification, whose payments move only when the test says so. */
export class ProviderStub {
  /** The spec's list, unless the caller adds others. */
  readonly chains: Json[] = [...CHAINS];
  readonly calls = new ProviderCalls();
  private readonly statuses = new Map<string, Json>();
  private readonly scripts = new Map<string, Json[]>();
  private readonly failures = new Map<string, Failure>();
  private failure: Failure | null = null;
  private delayMs: number | undefined;
  private readonly delays = new Map<string, number>();
  private nextQuote: Json = {};
  private readonly listed: Json[] = [...CURRENCIES];

  private constructor(
    private readonly receiver: HttpReceiver,
    readonly apiKey: string,
  ) {}

  static async start(apiKey = 'provider-key'): Promise<ProviderStub> {
    const receiver = await HttpReceiver.start();
    const stub = new ProviderStub(receiver, apiKey);
    receiver.answer((request) => stub.respond(request));
    return stub;
  }

  /** The spec's `{base_url}`. */
  get url(): string {
    return this.receiver.url;
  }

  get requests(): readonly ReceivedRequest[] {
    return this.receiver.requests;
  }

  /** Adds a quote that was made at the provider directly, past Paybell; returns its id. */
  addQuote(partial: Json = {}, quoteId: string = randomUUID()): string {
    this.statuses.set(quoteId, { ...statusObject(quoteId), ...partial });
    return quoteId;
  }

  /** Changes the provider's status of a payment; `undefined` removes a field. */
  setStatus(quoteId: string, partial: Json): void {
    const known = this.statuses.get(quoteId) ?? statusObject(quoteId);
    this.statuses.set(quoteId, { ...known, ...partial });
  }

  /** The next polls of a payment see one of these changes each; later polls see the status of `setStatus`. */
  script(quoteId: string, partials: readonly Json[]): void {
    this.scripts.set(quoteId, [...partials]);
  }

  forget(quoteId: string): void {
    this.statuses.delete(quoteId);
  }

  /** Lists one token more. */
  list(currency: Json): void {
    this.listed.push(currency);
  }

  /** Sets fields of the next quotes, in addition to or in place of the usual ones. */
  quoteWith(partial: Json): void {
    this.nextQuote = partial;
  }

  /** Makes every answer fail in this way until `recover`; with a quote id, only its status. */
  fail(failure: Failure, quoteId?: string): void {
    if (quoteId === undefined) this.failure = failure;
    else this.failures.set(quoteId, failure);
  }

  recover(): void {
    this.failure = null;
    this.failures.clear();
  }

  /** Delays each good answer; with a quote id, only its status. */
  slowDown(delayMs: number, quoteId?: string): void {
    if (quoteId === undefined) this.delayMs = delayMs;
    else this.delays.set(quoteId, delayMs);
  }

  /** Takes the provider down: connections are refused. */
  async down(): Promise<void> {
    await this.receiver.close();
  }

  async up(): Promise<void> {
    await this.receiver.reopen();
  }

  async close(): Promise<void> {
    await this.receiver.close();
  }

  private readonly respond: Script = (request) => {
    const encodedId = STATUS_PATH.exec(request.path)?.[1];
    const quoteId = encodedId === undefined ? null : decodeURIComponent(encodedId);
    const path = quoteId === null ? (request.path.split('?')[0] ?? '') : '/api/status';
    this.calls.add({ method: request.method, path, quoteId, at: request.at });
    const failure = this.failure ?? this.failures.get(quoteId ?? '');
    if (failure !== undefined && failure !== null) return failure;
    const { status, body } = this.isAllowed(request)
      ? this.answerTo(request, path, quoteId)
      : refusal(401, 'Invalid API key');
    const headers = { 'content-type': 'application/json' };
    const delayMs = this.delays.get(quoteId ?? '') ?? this.delayMs;
    return { status, headers, body: JSON.stringify(body), ...(delayMs && { delayMs }) };
  };

  private isAllowed({ headers }: ReceivedRequest): boolean {
    return headers['x-api-key'] === this.apiKey || headers.authorization === `Bearer ${this.apiKey}`;
  }

  private answerTo(
    request: ReceivedRequest,
    path: string,
    quoteId: string | null,
  ): { status: number; body: Json } {
    if (quoteId !== null) {
      const status = this.statuses.get(quoteId);
      if (status === undefined) return refusal(404, 'Quote not found');
      return { status: 200, body: { ...status, ...this.scripts.get(quoteId)?.shift() } };
    }
    switch (`${request.method} ${path}`) {
      case 'POST /api/quote':
        return { status: 200, body: this.createQuote(request) };
      case 'GET /api/chains':
        return { status: 200, body: { success: true, chains: this.chains } };
      case 'POST /api/currencies':
        return { status: 200, body: { success: true, currencies: this.listed } };
      default:
        return refusal(404, 'Not found');
    }
  }

  private createQuote(request: ReceivedRequest): Json {
    const quote = { ...quoteObject(randomUUID(), request.json as Json), ...this.nextQuote };
    const quoteId = String(quote['quoteId']);
    this.statuses.set(quoteId, statusObject(quoteId));
    return quote;
  }
}

function refusal(status: number, message: string): { status: number; body: Json } {
  return { status, body: { success: false, error: message } };
}
