import { Faults, type Fault } from '../stand-in/faults.js';
import { type Answer, type Call, type FaultAnswers, StandInServer } from '../stand-in/http-server.js';
import { ASSETS, tokenRow } from './assets.ts';
import type { Lie } from './lies.ts';
import { Lives } from './lives.ts';
import type { Order } from './order.ts';
import { quoted } from './quotes.ts';
import { readQuoteRequest } from './quote-request.ts';
import { QuoteSigner } from './signature.ts';
import { statusObject } from './status-object.ts';

type Json = Readonly<Record<string, unknown>>;

export interface OneClickOptions {
  /** Keys that are taken; a request without one is served too. */
  readonly apiKeys: readonly string[];
  readonly clock: { now(): Date };
}

const DEFAULTS: OneClickOptions = {
  apiKeys: [],
  clock: { now: () => new Date() },
};
const HTML = { 'content-type': 'text/html' };
const FAULT_ANSWERS: FaultAnswers = {
  html502: { status: 502, headers: HTML, body: '<html><head><title>502 Bad Gateway</title></head></html>' },
  html429: { status: 429, headers: HTML, body: '<html><body>Too Many Requests</body></html>' },
  json500: {
    status: 500,
    body: {
      message:
        'Failed to receive response within timeout of 25000ms for exchange "1Click-API:api-exchange" and routing key "quote"',
    },
  },
  json503: { status: 503, body: { message: 'Service Unavailable' } },
  unauthorized: { status: 401, body: { message: 'Unauthorized' } },
};

/** 1Click as its fact sheet describes it: an HTTP server whose swaps move when the test says so. */
export class OneClickStandIn {
  /** Every request that came, in order. */
  readonly requests: Call[] = [];
  /** The base URL, without `/v0`. */
  url = '';
  /** Hashes that were handed over with `POST /v0/deposit/submit`. */
  readonly submitted: Json[] = [];
  readonly lives = new Lives(
    (key) => this.order(key),
    () => this.now().getTime(),
  );
  readonly signer = new QuoteSigner();
  private readonly orders = new Map<string, Order>();
  private readonly faults = new Faults();
  private readonly server = new StandInServer(
    (call) => this.respond(call),
    () => this.now(),
    FAULT_ANSWERS,
  );
  private reused: string | null = null;
  private lies: { readonly lie: Lie; left: number } | null = null;
  private refusal: { readonly answer: Answer; left: number } | null = null;

  private constructor(readonly options: OneClickOptions) {}

  static async start(options: Partial<OneClickOptions> = {}): Promise<OneClickStandIn> {
    const standIn = new OneClickStandIn({ ...DEFAULTS, ...options });
    standIn.url = await standIn.server.open();
    return standIn;
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  /** Refuses connections until `up`; its swaps stay. */
  async down(): Promise<void> {
    await this.server.close();
  }

  async up(): Promise<void> {
    await this.server.open();
  }

  /** Finds an order by its deposit address, followed by `_memo` if there is a memo. Throws without an order. */
  order(key: string): Order {
    const order = this.orders.get(key);
    if (order === undefined) throw new Error(`The stand-in has no swap at ${key}.`);
    return order;
  }

  /** Makes the next `times` requests fail in this way (all, unless stated), at one path or at all of them. */
  fault(kind: Fault, plan: { times?: number; path?: string; delayMs?: number } = {}): void {
    this.faults.add(kind, plan);
  }

  /** Faults, lies and refusals are over. */
  recover(): void {
    this.faults.clear();
    this.lies = null;
    this.refusal = null;
  }

  /** Puts this fault into the next `times` quotes. */
  lie(lie: Lie, times = Infinity): void {
    this.lies = { lie, left: times };
  }

  /** Gives the next quote this deposit address, which another quote has. */
  reuse(address: string): void {
    this.reused = address;
  }

  /** Refuses the next quotes with these messages. */
  refuseQuotes(message: string | readonly string[], { status = 400, times = Infinity } = {}): void {
    this.refusal = { answer: { status, body: { message } }, left: times };
  }

  private respond(call: Call): { answer: Answer; fault: ReturnType<Faults['next']> } {
    this.requests.push(call);
    const { apiKey, path, method } = call;
    if (apiKey !== null && !this.options.apiKeys.includes(apiKey))
      return { answer: { status: 401, body: { message: 'Unauthorized' } }, fault: null };
    return { answer: this.answer(`${method} ${path}`, call), fault: this.faults.next(path) };
  }

  private answer(route: string, { query, body, apiKey }: Call): Answer {
    const given = typeof body === 'object' && body !== null ? (body as Json) : {};
    if (route === 'GET /v0/tokens')
      return { status: 200, body: ASSETS.map((asset) => tokenRow(asset, this.now())) };
    if (route === 'POST /v0/quote') return this.quote(given, apiKey !== null);
    if (route === 'GET /v0/status') return this.status(query['depositAddress'], query['depositMemo']);
    if (route === 'POST /v0/deposit/submit') return this.submit(given);
    return { status: 404, body: { message: `Cannot ${route}`, error: 'Not Found', statusCode: 404 } };
  }

  private quote(body: Json, hasKey: boolean): Answer {
    if (this.refusal !== null) {
      const { answer } = this.refusal;
      this.refusal.left -= 1;
      if (this.refusal.left <= 0) this.refusal = null;
      return answer;
    }
    const now = this.now().getTime();
    const read = readQuoteRequest(body, now);
    if (typeof read === 'string' || !('request' in read)) return { status: 400, body: { message: read } };
    const made = quoted(read, {
      signer: this.signer,
      now,
      hasKey,
      lie: this.nextLie(),
      address: this.reused,
    });
    this.reused = null;
    if (typeof made === 'string') return { status: 400, body: { message: made } };
    if (made.order !== null) this.orders.set(keyOf(made.order.address, made.order.memo), made.order);
    return { status: 201, body: made.body };
  }

  private status(address = '', memo?: string): Answer {
    const order = this.orders.get(keyOf(address, memo ?? null));
    if (order === undefined)
      return { status: 404, body: { message: `Deposit address ${address} not found` } };
    return { status: 200, body: statusObject(order) };
  }

  private submit(body: Json): Answer {
    const { depositAddress, memo, txHash } = body;
    if (typeof txHash !== 'string' || txHash === '')
      return { status: 400, body: { message: ['txHash should not be empty'] } };
    const key = keyOf(String(depositAddress), typeof memo === 'string' ? memo : null);
    const order = this.orders.get(key);
    if (order === undefined)
      return { status: 404, body: { message: `Deposit address ${String(depositAddress)} not found` } };
    this.submitted.push(body);
    return { status: 201, body: statusObject(order) };
  }

  private nextLie(): Lie | null {
    if (this.lies === null) return null;
    const { lie } = this.lies;
    this.lies.left -= 1;
    if (this.lies.left <= 0) this.lies = null;
    return lie;
  }

  private now(): Date {
    return this.options.clock.now();
  }
}

function keyOf(address: string, memo: string | null): string {
  return memo === null ? address : `${address}_${memo}`;
}
