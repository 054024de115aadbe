import { validateHeaderValue } from 'node:http';

import { Axios } from 'axios';
import { buildConnector } from 'undici';

import { readInChunks } from '../../platform/bounded-reading/socket-reading.ts';
import { VERSION } from '../../platform/version.ts';
import type { Clock } from '../../ports/clock.ts';
import { ExchangePool } from '../../platform/outbound/exchange-pool.ts';
import type { ExchangeEnd } from '../../platform/outbound/http-exchange.ts';
import type { parseJson } from './parse-provider-json.ts';
import { readResponse, unavailableAfter, type ProviderResponse } from './read-response.ts';
import { type RequestConfig, undiciAdapter } from './undici-adapter.ts';

export interface ConnectionOptions {
  /** The URL of the provider; its path is put in front of each request's path. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly auth: 'x-api-key' | 'bearer';
  /** The time limit from the start of a request to the last byte of its response. */
  readonly timeoutMs: number;
  readonly maxConcurrency: number;
}

export interface ProviderRequest {
  readonly path: string;
  /** Sent as JSON by POST; without a body the request is a GET. */
  readonly body?: object | undefined;
  /** Defaults to the limit for a response about one payment. */
  readonly maxResponseBytes?: number;
  readonly parse: typeof parseJson;
  /** True if a client waits: the request goes before others that wait for a free connection. */
  readonly isUrgent: boolean;
  /** Called when the request is sent, which may be late if it waits for a connection. */
  readonly onSent?: (() => void) | undefined;
}

/** The limit for a response about one payment. */
const MAX_RESPONSE_BYTES = 256 * 1024;
const UNKNOWN = new Date(Number.NaN);
const WITH_JSON = { 'content-type': 'application/json' };

/** Keep-alive connections to one provider. Every failure of the provider is a ProviderResponse, never an exception. */
export class Connection {
  private readonly pool: ExchangePool;
  private readonly headers: Record<string, string>;
  private readonly urgent: Axios;
  private readonly others: Axios;
  private readonly origin: string;
  private readonly prefix: string;
  private closing: Promise<void> | null = null;

  /** Without a `clock`, as in a command without a database, it ignores a Retry-After with a date. */
  constructor(
    private readonly options: ConnectionOptions,
    private readonly clock?: Clock,
  ) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.origin = origin;
    this.prefix = pathname.replace(/\/+$/, '');
    const { maxConcurrency, timeoutMs } = options;
    this.pool = new ExchangePool({ origin, connect: connectorOf(options), maxConcurrency, timeoutMs });
    this.headers = headersFor(options);
    this.urgent = this.axiosOver(true);
    this.others = this.axiosOver(false);
  }

  async send(request: ProviderRequest): Promise<ProviderResponse> {
    try {
      const axios = request.isUrgent ? this.urgent : this.others;
      const { status, headers, data } = await axios.request<Buffer>(this.axiosConfigOf(request));
      return readResponse(
        { status, retryAfter: headers['retry-after'], body: data },
        request.parse,
        this.now(),
      );
    } catch (error) {
      return unavailableAfter(error);
    }
  }

  /** Sends a GET without axios: the copies that axios makes of its options cost as much as the rest of an unchanged poll. */
  get(path: string, end: ExchangeEnd, isUrgent: boolean): void {
    const request = { path: this.prefix + path, method: 'GET', headers: this.headers } as const;
    this.pool.send(request, MAX_RESPONSE_BYTES, end, isUrgent);
  }

  /** NaN without a clock. */
  now(): Date {
    return this.clock?.now() ?? UNKNOWN;
  }

  /** The method and URL of a request for operators; the base URL contains no secret. */
  urlOf({ path, body }: Pick<ProviderRequest, 'path' | 'body'>): string {
    return `${body === undefined ? 'GET' : 'POST'} ${this.origin}${this.prefix}${path}`;
  }

  /** Sets as few members as possible, since axios copies and merges each. */
  private axiosConfigOf({ path, body, maxResponseBytes, onSent }: ProviderRequest): RequestConfig {
    const config: RequestConfig = { url: this.prefix + path };
    if (maxResponseBytes !== undefined) config.maxContentLength = maxResponseBytes;
    if (onSent !== undefined) config.onSent = onSent;
    if (body === undefined) return config;
    return { ...config, method: 'post', headers: WITH_JSON, data: JSON.stringify(body) };
  }

  /** Waits for the requests in flight, until their deadline at most; later requests resolve as unavailable. */
  close(withinMs: number = this.options.timeoutMs): Promise<void> {
    this.closing ??= this.pool.close(Math.min(withinMs, this.options.timeoutMs));
    return this.closing;
  }

  private axiosOver(isUrgent: boolean): Axios {
    const { pool, headers } = this;
    const adapter = undiciAdapter({ pool, headers, maxResponseBytes: MAX_RESPONSE_BYTES, isUrgent });
    // axios.create() would merge and transform defaults for each request, all of which are unused.
    return new Axios({ adapter });
  }
}

function connectorOf({ timeoutMs }: ConnectionOptions): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false });
  return (target, callback) =>
    connect(target, (...made) => {
      if (made[0] === null) readInChunks(made[1]);
      callback(...made);
    });
}

function headersFor({ apiKey, auth }: ConnectionOptions): Record<string, string> {
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': `Paybell/${VERSION}`,
  };
  if (apiKey === null) return headers;
  const [name, value] = auth === 'bearer' ? ['authorization', `Bearer ${apiKey}`] : ['x-api-key', apiKey];
  // A key that no header can carry fails at the start, not at each request; the error names the header, not the key.
  validateHeaderValue(name, value);
  return { ...headers, [name]: value };
}
