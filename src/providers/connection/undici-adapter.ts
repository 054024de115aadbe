import {
  AxiosError,
  AxiosHeaders,
  type AxiosAdapter,
  type AxiosRequestConfig,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';

import type { ExchangeError } from '../../platform/outbound/exchange-error.ts';
import type { ExchangePool } from '../../platform/outbound/exchange-pool.ts';
import type { ExchangeEnd } from '../../platform/outbound/http-exchange.ts';

/** The options of all requests, kept out of axios's config, which axios copies and merges for each request. */
export interface Transport {
  readonly pool: ExchangePool;
  /** Sent with each request; the request's own headers override them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request's `maxContentLength` overrides it. */
  readonly maxResponseBytes: number;
  readonly isUrgent: boolean;
}

/** A request's own options. axios passes members that it does not know on unchanged. */
export interface RequestConfig extends AxiosRequestConfig {
  onSent?: () => void;
}

/**
 * Sends axios requests over the provider's connections, at a fraction of the cost of axios's own adapter. `url` is a path on
 * their origin. The response has `data` as bytes with any status, and only Retry-After of the headers. The adapter follows no
 * redirects, decompresses nothing, never retries and uses no proxy.
 */
export function undiciAdapter(transport: Transport): AxiosAdapter {
  return (config) =>
    new Promise((resolve, reject) => {
      const { pool, headers: common, maxResponseBytes, isUrgent } = transport;
      const { url: path = '/', data } = config;
      const limit = config.maxContentLength ?? maxResponseBytes;
      const headers = { ...common, ...(config.headers.toJSON() as Record<string, string>) };
      const method = data === undefined ? 'GET' : 'POST';
      const body = (data as string | undefined) ?? null;
      pool.send({ path, method, headers, body }, limit, new AxiosEnd(config, resolve, reject), isUrgent);
    });
}

/** Passes the end of a request on as axios expects it. */
class AxiosEnd implements ExchangeEnd {
  readonly onSent: ExchangeEnd['onSent'];

  constructor(
    private readonly config: InternalAxiosRequestConfig & RequestConfig,
    private readonly resolve: (response: AxiosResponse<Buffer>) => void,
    private readonly reject: (error: AxiosError) => void,
  ) {
    this.onSent = config.onSent;
  }

  onResponse(status: number, retryAfter: string | undefined, data: Buffer): void {
    const headers =
      retryAfter === undefined ? new AxiosHeaders() : new AxiosHeaders({ 'retry-after': retryAfter });
    this.resolve({ data, status, statusText: '', headers, config: this.config });
  }

  onFailure({ message, code, status }: ExchangeError): void {
    const error = new AxiosError(message, code);
    if (status !== undefined) error.status = status;
    this.reject(error);
  }
}
