import { validateHeaderValue } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { Axios, type AxiosRequestConfig } from 'axios';
import { buildConnector, Pool } from 'undici';

import { readInChunks } from '../../platform/bounded-reading/read-in-chunks.ts';
import { VERSION } from '../../platform/process/version.ts';
import type { Clock } from '../../ports/clock.ts';
import type { parseJson } from './parse-provider-json.ts';
import { readResponse, unavailableAfter, type ProviderResponse } from './read-response.ts';
import { undiciAdapter } from './undici-adapter.ts';

export interface ConnectionOptions {
  /** Its path is put before the path of each request. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly auth: 'x-api-key' | 'bearer';
  /** From the request's start to the last byte of its response. */
  readonly timeoutMs: number;
  readonly maxConcurrency: number;
}

export interface ProviderRequest {
  readonly path: string;
  /** Sent as JSON by POST; without a body the request is a GET. */
  readonly body?: object;
  /** Defaults to the limit for a response about one payment. */
  readonly maxResponseBytes?: number;
  readonly parse: typeof parseJson;
}

/** The requests in flight end by their own deadline; a socket that is open for longer than this after it hangs and is destroyed. */
const CLOSING_GRACE_MS = 500;
/** The limit for a response about one payment. */
const MAX_RESPONSE_BYTES = 256 * 1024;
const UNKNOWN = new Date(Number.NaN);
const WITH_JSON = { 'content-type': 'application/json' };

/** Keep-alive connections to one provider. Every failure of the provider is a ProviderResponse, never an exception. */
export class Connection {
  private readonly pool: Pool;
  private readonly axios: Axios;
  private readonly origin: string;
  private readonly prefix: string;
  private closing: Promise<void> | null = null;

  /** Without a `clock`, as in a command that has no database, a Retry-After that is a date is not read. */
  constructor(
    private readonly options: ConnectionOptions,
    private readonly clock?: Clock,
  ) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.origin = origin;
    this.prefix = pathname.replace(/\/+$/, '');
    // Our deadline covers the phases that undici's own time-outs measure separately.
    this.pool = new Pool(origin, {
      connections: options.maxConcurrency,
      connect: connectorOf(options),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // Not axios.create(): axios would merge and transform its defaults for each request, and none of them is used.
    this.axios = new Axios({
      adapter: undiciAdapter({
        pool: this.pool,
        headers: headersFor(options),
        timeoutMs: options.timeoutMs,
        maxResponseBytes: MAX_RESPONSE_BYTES,
      }),
    });
  }

  async send(request: ProviderRequest): Promise<ProviderResponse> {
    try {
      const response = await this.axios.request<Buffer>(this.axiosConfigOf(request));
      return readResponse(response, request.parse, this.clock?.now() ?? UNKNOWN);
    } catch (error) {
      return unavailableAfter(error);
    }
  }

  /** The method and URL of a request, for the operator: the base URL holds no secret. */
  urlOf({ path, body }: Pick<ProviderRequest, 'path' | 'body'>): string {
    return `${body === undefined ? 'GET' : 'POST'} ${this.origin}${this.prefix}${path}`;
  }

  /** Sets as few members as possible: axios copies and merges each of them. */
  private axiosConfigOf({ path, body, maxResponseBytes }: ProviderRequest): AxiosRequestConfig {
    const config: AxiosRequestConfig = { url: this.prefix + path };
    if (maxResponseBytes !== undefined) config.maxContentLength = maxResponseBytes;
    if (body === undefined) return config;
    return { ...config, method: 'post', headers: WITH_JSON, data: JSON.stringify(body) };
  }

  /** Waits for the requests in flight, until their deadline at most; later requests resolve as unavailable. */
  close(withinMs: number = this.options.timeoutMs): Promise<void> {
    this.closing ??= this.closePool(Math.min(withinMs, this.options.timeoutMs));
    return this.closing;
  }

  private async closePool(withinMs: number): Promise<void> {
    const overdue = new AbortController();
    const overdueAt = sleep(withinMs + CLOSING_GRACE_MS, null, {
      ref: false,
      signal: overdue.signal,
    }).catch(() => null);
    await Promise.race([this.pool.close(), overdueAt]);
    overdue.abort();
    await this.pool.destroy();
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
  // A key that no header can carry fails the start, not each request; the error names the header, not the key.
  validateHeaderValue(name, value);
  return { ...headers, [name]: value };
}
