import type { buildConnector } from 'undici';

import { parseRetryAfter } from '../../domain/text/retry-after.ts';
import { ExchangePool } from '../../platform/outbound/exchange-pool.ts';
import { reasonOf } from '../../platform/outbound/exchange-reason.ts';
import { sleep } from '../../platform/scheduling/system-timers.ts';
import { VERSION } from '../../platform/version.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RpcOutcome } from '../../ports/meter.ts';
import type { Timers } from '../../ports/timers.ts';
import { RpcThrottle } from './rpc-throttle.ts';
import { RpcTrouble } from './rpc-trouble.ts';

const MOST_AT_ONCE = 16;
const MAX_RESPONSE_BYTES = 4 * 1_024 * 1_024;
const AGAIN_MS = 15_000;
/** The reason code of the connection, and the words that it means here. */
const REFUSED = 'address refused';
const NOT_LISTED =
  'plain http, or a private address that CHAIN_RPC_ALLOWED_CIDRS, or if unset WEBHOOK_ALLOWED_CIDRS, does not list';
/** Also a reason code: a page of large transactions, say, while the RPC answers all other calls. */
const TOO_LARGE = 'answer too large';
const TOO_LARGE_AGAIN_MS = 300_000;
const TOO_MANY_REQUESTS = 429;
/** A URL may name another interface than JSON-RPC before its scheme, as in `esplora+https://…`. */
const NAMED_API = /^([a-z]+)\+(?=https?:)/;

/** Null: the answer is no rate limit; otherwise the requested pause in milliseconds, if the answer has one. */
export type LimitIn = (status: number, body: Buffer) => { readonly pauseMs: number | null } | null;

export interface ConnectionOptions {
  readonly url: string;
  readonly connect: buildConnector.connector;
  /** Headers by lower-case name; they contain keys. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxRps: number;
  /** From the start of a request to the last byte of its answer. */
  readonly timeoutMs: number;
  readonly limitIn?: LimitIn;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called after each request. */
  readonly onAsked: (calls: number, outcome: RpcOutcome) => void;
}

export interface Exchanged {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

/** One request, and how many calls it counts as for the pace. */
export interface HttpCall {
  readonly method: 'GET' | 'POST';
  /** Includes the query. */
  readonly path: string;
  readonly body?: string;
  readonly calls?: number;
}

/** HTTP requests to one RPC, with its pace and its circuit. No message contains its URL or headers. */
export class RpcConnection {
  readonly host: string;
  /** The interface that the URL names; null: JSON-RPC. */
  readonly api: string | null;
  /** Includes the query. */
  readonly path: string;
  readonly throttle: RpcThrottle;
  /** When the RPC was last away: a different node may answer since then. */
  awayAtMs = -Infinity;
  private readonly pool: ExchangePool;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(private readonly options: ConnectionOptions) {
    const [prefix = '', api = null] = NAMED_API.exec(options.url) ?? [];
    const url = new URL(options.url.slice(prefix.length));
    this.api = api;
    this.host = url.hostname;
    this.path = url.pathname + url.search;
    this.headers = headersOf(url, options.headers);
    this.throttle = new RpcThrottle(options.maxRps, () => options.timers.nowMs());
    this.pool = new ExchangePool({
      origin: url.origin,
      connect: options.connect,
      maxConcurrency: MOST_AT_ONCE,
      timeoutMs: options.timeoutMs,
    });
  }

  /**
   * Returns the answer with any status that is no rate limit. The caller says whether it is `answered`. Throws only
   * RpcTrouble.
   */
  async exchange({ calls = 1, ...request }: HttpCall): Promise<Exchanged> {
    const waitMs = this.throttle.admit(calls);
    if (waitMs > 0) await sleep(this.options.timers, waitMs);
    const response = await this.send(request, calls);
    if (response.status === TOO_MANY_REQUESTS) throw this.limited(calls, response.retryAfter);
    const limit = this.options.limitIn?.(response.status, response.body) ?? null;
    if (limit !== null) throw this.limited(calls, response.retryAfter, limit.pauseMs);
    return response;
  }

  answered(calls = 1): void {
    this.throttle.succeeded();
    this.options.onAsked(calls, 'answered');
  }

  limited(calls: number, retryAfter: string | undefined, saidMs: number | null = null): RpcTrouble {
    const askedMs = retryAfter === undefined ? null : parseRetryAfter(retryAfter, this.options.clock.now());
    const pauseMs = this.throttle.limited(askedMs ?? saidMs);
    this.options.onAsked(calls, 'limited');
    return new RpcTrouble('rpc_limited', 'limits calls', pauseMs);
  }

  away(calls: number, reason: string): RpcTrouble {
    this.throttle.failed();
    this.awayAtMs = this.options.timers.nowMs();
    this.options.onAsked(calls, 'away');
    return new RpcTrouble('rpc_away', reason, AGAIN_MS);
  }

  async close(): Promise<void> {
    await this.pool.close(0);
  }

  private tooLarge(calls: number): RpcTrouble {
    this.answered(calls);
    return new RpcTrouble('rpc_error', 'answers more than 4 MiB', TOO_LARGE_AGAIN_MS);
  }

  private async send(request: Omit<HttpCall, 'calls'>, calls: number): Promise<Exchanged> {
    try {
      return await new Promise<Exchanged>((resolve, reject) => {
        const end = {
          onResponse: (status: number, retryAfter: string | undefined, bytes: Buffer) =>
            resolve({ status, retryAfter, body: bytes }),
          onFailure: reject,
        };
        this.pool.send({ ...request, headers: this.headers }, MAX_RESPONSE_BYTES, end, false);
      });
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === TOO_LARGE) throw this.tooLarge(calls);
      throw this.away(calls, reason === REFUSED ? NOT_LISTED : reason);
    }
  }
}

/** Some nodes require a user and a password from the URL. */
function headersOf({ username, password }: URL, more: Readonly<Record<string, string>>) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': `Paybell/${VERSION}`,
  };
  if (username === '' && password === '') return { ...headers, ...more };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { ...headers, authorization, ...more };
}
