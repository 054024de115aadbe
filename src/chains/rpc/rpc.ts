import type { buildConnector } from 'undici';

import { parseRetryAfter } from '../../domain/text/retry-after.ts';
import { ExchangePool } from '../../platform/outbound/exchange-pool.ts';
import { reasonOf } from '../../platform/outbound/exchange-reason.ts';
import { sleep } from '../../platform/scheduling/system-timers.ts';
import { VERSION } from '../../platform/version.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RpcOutcome } from '../../ports/meter.ts';
import type { Timers } from '../../ports/timers.ts';
import { type Question, readReplies, requestText, type RpcCall, type RpcReply } from './json-rpc.ts';
import { RpcThrottle } from './rpc-throttle.ts';
import { isAnyLimit, isRateLimit, RpcTrouble } from './rpc-trouble.ts';

const MOST_AT_ONCE = 16;
const MAX_RESPONSE_BYTES = 4 * 1_024 * 1_024;
/** How long an RPC is taken to be on the chain that it named. */
const CHAIN_KNOWN_MS = 300_000;
const AGAIN_MS = 15_000;
/** The reason of the connection, and what it means here. */
const REFUSED = 'address refused';
const NOT_LISTED =
  'plain http, or a private address that CHAIN_RPC_ALLOWED_CIDRS, or if unset WEBHOOK_ALLOWED_CIDRS, does not list';
const TOO_MANY_REQUESTS = 429;
/** With these an RPC may refuse several calls in one request, though it takes each alone. */
const REFUSES_BATCH: ReadonlySet<number> = new Set([400, 403, 405, 413, 415, 422, 500, 501]);

export interface RpcOptions {
  readonly url: string;
  readonly chainId: number;
  /** The question for that id. */
  readonly asksChainId: Question<number>;
  readonly connect: buildConnector.connector;
  readonly maxRps: number;
  /** From the start of a request to the last byte of its answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called after each request. */
  readonly onAsked: (calls: number, outcome: RpcOutcome) => void;
}

interface Exchanged {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

type AnswersOf<Q extends readonly Question<unknown>[]> = {
  -readonly [K in keyof Q]: Q[K] extends Question<infer T> ? T : never;
};

/** One JSON-RPC of a chain: its pace, its circuit, and that it is on that chain. Its URL is in no message. */
export class Rpc {
  readonly host: string;
  readonly throttle: RpcThrottle;
  private readonly pool: ExchangePool;
  private readonly path: string;
  private readonly headers: Readonly<Record<string, string>>;
  private takesBatches = true;
  private chainKnownAt = -Infinity;

  constructor(private readonly options: RpcOptions) {
    const url = new URL(options.url);
    this.host = url.hostname;
    this.path = url.pathname + url.search;
    this.headers = headersOf(url);
    this.throttle = new RpcThrottle(options.maxRps, () => options.timers.nowMs());
    this.pool = new ExchangePool({
      origin: url.origin,
      connect: options.connect,
      maxConcurrency: MOST_AT_ONCE,
      timeoutMs: options.timeoutMs,
    });
  }

  /** The answers to all questions. Throws RpcTrouble and nothing else. */
  async ask<const Q extends readonly Question<unknown>[]>(...questions: Q): Promise<AnswersOf<Q>> {
    const isKnown = this.options.timers.nowMs() - this.chainKnownAt < CHAIN_KNOWN_MS;
    const all = isKnown ? questions : [this.options.asksChainId, ...questions];
    const replies = await this.send(all.map(({ call }) => call));
    const answers = all.map((question, at) => this.read(question, replies[at]));
    if (!isKnown) this.checkChain(answers.shift() as number);
    return answers as AnswersOf<Q>;
  }

  async close(): Promise<void> {
    await this.pool.close(0);
  }

  private read(question: Question<unknown>, reply: RpcReply | undefined): unknown {
    const answer = reply === undefined ? undefined : question.read(reply);
    if (answer !== undefined) return answer;
    this.chainKnownAt = -Infinity;
    const code =
      reply !== undefined && 'error' in reply ? `error ${reply.error.code}` : 'an unreadable result';
    throw new RpcTrouble('rpc_error', `answers ${code} to ${question.call.method}`, AGAIN_MS);
  }

  private checkChain(chainId: number): void {
    if (chainId !== this.options.chainId)
      throw new RpcTrouble('wrong_chain', `is on chain ${chainId}, not ${this.options.chainId}`, 60_000);
    this.chainKnownAt = this.options.timers.nowMs();
  }

  private async send(calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
    if (calls.length > 1 && this.takesBatches) {
      const replies = await this.request(calls);
      if (replies !== null) return replies;
      this.takesBatches = false;
    }
    const single: RpcReply[] = [];
    // One after another: who takes no batches tends to limit what is asked at once.
    for (const call of calls) single.push(...((await this.request([call])) ?? []));
    return single;
  }

  /** Null: the RPC refuses several calls in one request. */
  private async request(calls: readonly RpcCall[]): Promise<readonly RpcReply[] | null> {
    const waitMs = this.throttle.admit(calls.length);
    if (waitMs > 0) await sleep(this.options.timers, waitMs);
    const response = await this.post(requestText(calls), calls.length);
    if (response.status === TOO_MANY_REQUESTS) throw this.limited(calls.length, response.retryAfter);
    const replies = readReplies(response.body, calls.length);
    if (replies === null) {
      if (calls.length > 1 && REFUSES_BATCH.has(response.status)) return null;
      throw this.away(
        calls.length,
        response.status >= 300 ? `status ${response.status}` : 'unreadable answer',
      );
    }
    if ('code' in replies) {
      if (isAnyLimit(replies)) throw this.limited(calls.length, response.retryAfter);
      return null;
    }
    if (replies.some((reply, at) => isLimit(reply, calls[at])))
      throw this.limited(calls.length, response.retryAfter);
    this.throttle.succeeded();
    this.options.onAsked(calls.length, 'answered');
    return replies;
  }

  private async post(body: string, calls: number): Promise<Exchanged> {
    const request = { path: this.path, method: 'POST', headers: this.headers, body } as const;
    try {
      return await new Promise<Exchanged>((resolve, reject) => {
        const end = {
          onResponse: (status: number, retryAfter: string | undefined, bytes: Buffer) =>
            resolve({ status, retryAfter, body: bytes }),
          onFailure: reject,
        };
        this.pool.send(request, MAX_RESPONSE_BYTES, end, false);
      });
    } catch (error) {
      const reason = reasonOf(error);
      throw this.away(calls, reason === REFUSED ? NOT_LISTED : reason);
    }
  }

  private limited(calls: number, retryAfter: string | undefined): RpcTrouble {
    const askedMs = retryAfter === undefined ? null : parseRetryAfter(retryAfter, this.options.clock.now());
    const pauseMs = this.throttle.limited(askedMs);
    this.options.onAsked(calls, 'limited');
    return new RpcTrouble('rpc_limited', 'limits calls', pauseMs);
  }

  private away(calls: number, reason: string): RpcTrouble {
    this.throttle.failed();
    // Another node may come back.
    this.chainKnownAt = -Infinity;
    this.options.onAsked(calls, 'away');
    return new RpcTrouble('rpc_away', reason, AGAIN_MS);
  }
}

/** A refused range of blocks is no limit of the pace. */
function isLimit(reply: RpcReply, call: RpcCall | undefined): boolean {
  if (!('error' in reply)) return false;
  return call?.method === 'eth_getLogs' ? isRateLimit(reply.error) : isAnyLimit(reply.error);
}

/** Some nodes stand behind a user and a password in the URL. */
function headersOf({ username, password }: URL): Record<string, string> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': `Paybell/${VERSION}`,
  };
  if (username === '' && password === '') return headers;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}
