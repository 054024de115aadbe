import { Faults, type Fault } from '../stand-in/faults.js';
import { type Answer, type Call, type FaultAnswers, StandInServer } from '../stand-in/http-server.js';
import { ASSETS, hasChain } from './assets.ts';
import type { Channel } from './channel.ts';
import { Channels } from './channels.ts';
import { NotFoundLock, USUAL, type Limits } from './limits.ts';
import { Lives } from './lives.ts';
import { isSchemaError, readOpenRequest } from './open-request.ts';
import { bad, isRefusal, quoteEntries, readPair, refusalOf, type Refusal, termsOf } from './quotes.ts';
import { answerRpc } from './rpc.ts';
import { statusObject } from './status-object.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ChainflipOptions {
  readonly clock: { now(): Date };
  readonly limits: Limits;
}

const DEFAULTS: ChainflipOptions = {
  clock: { now: () => new Date() },
  limits: USUAL,
};
const HTML = { 'content-type': 'text/html' };
const TOO_MANY: Answer = {
  status: 429,
  body: { message: 'Too many requests, please try again later' },
};
const FAULT_ANSWERS: FaultAnswers = {
  html502: { status: 502, headers: HTML, body: '<html><head><title>502 Bad Gateway</title></head></html>' },
  html429: { status: 429, headers: HTML, body: '<html><body>You are being rate limited</body></html>' },
  json500: { status: 500, body: { message: 'unknown error' } },
  json503: { status: 503, body: { message: 'The swap service is currently unavailable due to maintenance' } },
};
const STATUS = /^\/v2\/swaps\/([^/]+)$/;
const RPC = /^\/rpc\/[^/]+$/;
const CREATED = 201;

/**
 * Chainflip's SDK backend as its fact sheet describes it, and a broker: an HTTP server whose channels move when the test says
 * so.
 */
export class ChainflipStandIn {
  /** Every request that came, in order. */
  readonly requests: Call[] = [];
  url = '';
  readonly channels: Channels;
  readonly lives: Lives;
  /** Internal names of the assets without ingress and egress. */
  readonly disabled = new Set<string>();
  /** Replaces the answers to the next quotes; null: quotes at the tokens' prices. */
  quoted: ((entries: object[]) => unknown) | null = null;
  /** Replaces the answer to the next request that opens a channel. */
  opened: ((answer: Json) => unknown) | null = null;
  private readonly faults = new Faults();
  private readonly lock: NotFoundLock;
  private readonly server: StandInServer;
  /** How far the service is behind its state chain. */
  private lagMs = 0;

  private constructor(private readonly options: ChainflipOptions) {
    const { limits } = options;
    this.lock = new NotFoundLock(limits);
    this.channels = new Channels(limits.channelsPerAddress, () => this.now());
    this.lives = new Lives(
      (address) => this.channels.at(address),
      () => this.now(),
    );
    this.server = new StandInServer(
      (call) => this.respond(call),
      () => options.clock.now(),
      FAULT_ANSWERS,
    );
  }

  static async start(options: Partial<ChainflipOptions> = {}): Promise<ChainflipStandIn> {
    const standIn = new ChainflipStandIn({ ...DEFAULTS, ...options });
    standIn.url = await standIn.server.open();
    return standIn;
  }

  /** The URL of the broker, which includes the key. */
  get brokerUrl(): string {
    return `${this.url}/rpc/key-of-the-broker`;
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  /** Refuses connections until `up`; its channels stay. */
  async down(): Promise<void> {
    await this.server.close();
  }

  async up(): Promise<void> {
    await this.server.open();
  }

  channel(address: string): Channel {
    return this.channels.at(address);
  }

  /** From now on the service is this far behind its state chain. */
  lag(ms: number): void {
    this.lagMs = ms;
  }

  /** Makes the next `times` requests fail in this way (all, unless stated), at one path or at all of them. */
  fault(kind: Fault, plan: { times?: number; path?: string; delayMs?: number } = {}): void {
    this.faults.add(kind, plan);
  }

  recover(): void {
    this.faults.clear();
    this.quoted = null;
    this.opened = null;
    this.disabled.clear();
  }

  private respond(call: Call): { answer: Answer; fault: ReturnType<Faults['next']> } {
    this.requests.push(call);
    return { answer: this.answer(call), fault: this.faults.next(call.path) };
  }

  private answer({ method, path, query, body }: Call): Answer {
    const given = typeof body === 'object' && body !== null ? (body as Json) : {};
    const id = method === 'GET' ? STATUS.exec(path)?.[1] : undefined;
    if (id !== undefined) return this.status(decodeURIComponent(id));
    if (method === 'POST' && RPC.test(path))
      return {
        status: 200,
        body: answerRpc(body, (request, bps) => this.channels.open(request, false, bps)),
      };
    const route = `${method} ${path}`;
    if (route === 'GET /v2/quote') return this.quote(query);
    if (route === 'POST /api/openSwapDepositChannel') return this.open(given);
    if (route === 'GET /api/networkInfo') return { status: 200, body: this.networkInfo() };
    if (route === 'GET /healthcheck')
      return { status: 200, body: 'OK', headers: { 'content-type': 'text/plain' } };
    return { status: 404, headers: HTML, body: `Cannot ${method} ${path}` };
  }

  private quote(query: Json): Answer {
    const pair = readPair(query);
    if (pair === null) return refused(bad('invalid request'));
    const off = [pair.src, pair.dest].find(({ internal }) => this.disabled.has(internal));
    if (off !== undefined) return refused(bad(`Asset ${off.internal} is disabled`, 503));
    const terms = termsOf(pair, pair.amount, BigInt(Number(query['brokerCommissionBps'] ?? 0)));
    const refusal = refusalOf(pair, terms);
    if (refusal !== null) return refused(refusal);
    const entries = quoteEntries(pair, terms);
    return { status: 200, body: this.quoted === null ? entries : this.quoted(entries) };
  }

  private open(body: Json): Answer {
    const request = readOpenRequest(body);
    if (isSchemaError(request)) return { status: 400, body: request };
    if (isRefusal(request)) return refused(request);
    const refusal = this.channels.refusalOf(request);
    if (refusal !== null) return refused(refusal);
    const channel = this.channels.open(request, true);
    const answer = {
      id: channel.id,
      depositAddress: channel.depositAddress,
      brokerCommissionBps: 0,
      maxBoostFeeBps: 0,
      issuedBlock: channel.issuedBlock,
      srcChainExpiryBlock: channel.expiryBlock.toString(),
      estimatedExpiryTime: channel.estimatedExpiryAt,
      channelOpeningFee: '0',
    };
    return { status: CREATED, body: this.opened === null ? answer : this.opened(answer) };
  }

  private status(id: string): Answer {
    const now = this.now();
    if (this.lock.isLocked(now)) return TOO_MANY;
    const [, word] = id.split('-');
    if (word !== undefined && !hasChain(word)) return refused(bad(`Invalid chain: ${word}`));
    const view = this.channels.find(id);
    if (view === null) {
      this.lock.note(now);
      return refused(bad('resource not found', 404));
    }
    const updatedAt = now - this.lagMs;
    const headers = { 'x-chainflip-last-statechain-update': new Date(updatedAt).toUTCString() };
    const moment = { now, updatedAt, isExpired: this.channels.isExpired(view.channel) };
    return { status: 200, headers, body: statusObject(view, moment) };
  }

  private networkInfo(): Json {
    const assets = ASSETS.map(({ internal, hasOracle }) => {
      const isOn = !this.disabled.has(internal);
      return {
        asset: internal,
        vaultSwapDepositsEnabled: isOn,
        depositChannelDepositsEnabled: isOn,
        depositChannelCreationEnabled: isOn,
        egressEnabled: isOn,
        boostDepositsEnabled: isOn,
        livePriceProtectionEnabled: isOn && hasOracle,
      };
    });
    return { assets, cfBrokerCommissionBps: 0 };
  }

  private now(): number {
    return this.options.clock.now().getTime();
  }
}

function refused({ status, message }: Refusal): Answer {
  return { status, body: { message } };
}
