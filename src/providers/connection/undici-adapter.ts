import {
  AxiosError,
  AxiosHeaders,
  type AxiosAdapter,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import type { Dispatcher } from 'undici';

import { observeNextSocket } from '../../platform/bounded-reading/observe-next-socket.ts';
import { HeaderWatch } from './header-watch.ts';

export const DEADLINE_PASSED = 'ERR_DEADLINE_PASSED';
export const RESPONSE_TOO_LARGE = 'ERR_ANSWER_TOO_LARGE';
export const TOO_MANY_INTERIM = 'ERR_TOO_MANY_INTERIM';
export const TOO_MANY_HEADERS = 'ERR_TOO_MANY_HEADERS';
export const TOO_MANY_CHUNKS = 'ERR_TOO_MANY_CHUNKS';

/** The most interim responses, like 103, before the final one: a server that sends them endlessly would block the process. */
const MAX_INTERIM = 20;
/** Each chunk of a body costs callbacks, however short it is: beyond so many they must have some length. */
const MAX_SHORT_CHUNKS = 1_000;
const SHORT_CHUNK_BYTES = 16;

const NO_BYTES = Buffer.alloc(0);

/** The options of all requests. They are not in axios's config, which axios copies and merges for each request. */
export interface Transport {
  readonly pool: Dispatcher;
  /** Sent with each request; the request's own headers override them. */
  readonly headers: Readonly<Record<string, string>>;
  /** From the request's start to the last byte of its response. */
  readonly timeoutMs: number;
  /** The request's `maxContentLength` overrides it. */
  readonly maxResponseBytes: number;
}

/**
 * Sends axios requests over an undici pool, at a fraction of the cost of axios's own adapter. `url` is a path on the
 * pool's origin. The response has `data` as bytes, whatever the status, and of the headers only Retry-After. The adapter
 * follows no redirects, decompresses nothing, never retries and uses no proxy.
 */
export function undiciAdapter(options: Transport): AxiosAdapter {
  return (config) =>
    new Promise((resolve, reject) => {
      const handler = new ResponseHandler(config, options, resolve, reject);
      options.pool.dispatch(requestOf(config, options), handler);
    });
}

function requestOf(config: InternalAxiosRequestConfig, { headers }: Transport): Dispatcher.DispatchOptions {
  const { url = '/', data } = config;
  if (data === undefined) return { path: url, method: 'GET', headers };
  return {
    path: url,
    method: 'POST',
    headers: { ...headers, ...(config.headers.toJSON() as Record<string, string>) },
    body: data as string,
  };
}

/** Handles the response of one request, and settles once: at the response's end, at a failure, or at the deadline. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private readonly headers = new HeaderWatch(() => this.abortForHeaders());
  private readonly limit: number;
  private controller: Dispatcher.DispatchController | null = null;
  private failure: AxiosError | null = null;
  private status = 0;
  private interim = 0;
  private chunks = 0;
  private retryAfter: string | string[] | undefined;
  private body: Buffer = NO_BYTES;
  private size = 0;

  constructor(
    private readonly config: InternalAxiosRequestConfig,
    { timeoutMs, maxResponseBytes }: Transport,
    private readonly resolve: (response: AxiosResponse<Buffer>) => void,
    private readonly reject: (error: AxiosError) => void,
  ) {
    this.timer = setTimeout(() => this.abortLate(), timeoutMs);
    this.limit = config.maxContentLength ?? maxResponseBytes;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The deadline passed while the request waited for a connection: do not send it.
    if (this.failure !== null) controller.abort(this.failure);
    else observeNextSocket(this.headers);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.headers.reset();
    if (status < 200) return this.countInterim();
    this.status = status;
    this.retryAfter = headers['retry-after'];
    if (Number(headers['content-length']) > this.limit) this.abortTooLarge();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.failure !== null) return;
    this.headers.reset();
    const size = this.size + chunk.length;
    if (size > this.limit) return this.abortTooLarge();
    this.chunks += 1;
    if (this.chunks > MAX_SHORT_CHUNKS + size / SHORT_CHUNK_BYTES) return this.abortForChunks();
    if (this.size === 0) this.body = chunk;
    else this.append(chunk, size);
    this.size = size;
  }

  onResponseEnd(): void {
    this.succeed(this.body.subarray(0, this.size));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    // An HTTP parser error may have no code; it always has a name.
    this.fail(new AxiosError(error.message, error.code ?? error.name));
  }

  /** Appends to one growing buffer: a list of a million one-byte chunks would take a hundred times their size. */
  private append(chunk: Buffer, size: number): void {
    if (size > this.body.length) {
      const grown = Buffer.allocUnsafe(Math.max(size, Math.min(2 * this.body.length, this.limit)));
      this.body.copy(grown, 0, 0, this.size);
      this.body = grown;
    }
    chunk.copy(this.body, this.size);
  }

  private countInterim(): void {
    this.interim += 1;
    if (this.interim > MAX_INTERIM)
      this.abort(new AxiosError('too many interim responses', TOO_MANY_INTERIM));
  }

  private abortForChunks(): void {
    this.abortAnswered(new AxiosError('too many short chunks', TOO_MANY_CHUNKS));
  }

  private abortForHeaders(): void {
    this.abort(new AxiosError('too many headers', TOO_MANY_HEADERS));
  }

  private abortTooLarge(): void {
    this.abortAnswered(new AxiosError('the response is too large', RESPONSE_TOO_LARGE));
  }

  private abortLate(): void {
    this.abort(new AxiosError('the deadline has passed', DEADLINE_PASSED));
  }

  private abortAnswered(failure: AxiosError): void {
    failure.status = this.status;
    this.abort(failure);
  }

  private abort(failure: AxiosError): void {
    this.fail(failure);
    this.controller?.abort(failure);
  }

  private fail(failure: AxiosError): void {
    if (this.failure !== null) return;
    this.failure = failure;
    clearTimeout(this.timer);
    this.headers.end();
    // A status of 300 or more, with its Retry-After, is a usable result without its body.
    if (this.status >= 300) this.succeed(NO_BYTES);
    else this.reject(failure);
  }

  private succeed(data: Buffer): void {
    clearTimeout(this.timer);
    this.headers.end();
    const { status, config, retryAfter } = this;
    const headers =
      retryAfter === undefined ? new AxiosHeaders() : new AxiosHeaders({ 'retry-after': retryAfter });
    this.resolve({ data, status, statusText: '', headers, config });
  }
}
