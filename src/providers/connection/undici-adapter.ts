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
export const ANSWER_TOO_LARGE = 'ERR_ANSWER_TOO_LARGE';
export const TOO_MANY_INTERIM = 'ERR_TOO_MANY_INTERIM';
export const TOO_MANY_HEADERS = 'ERR_TOO_MANY_HEADERS';

/** Answers like 103 that go before the final one: a server that sends them without end would hold up the process. */
const MAX_INTERIM = 20;

const NOTHING = Buffer.alloc(0);

/** What holds for every request, kept out of axios's config: axios copies and merges each part of that each time. */
export interface Transport {
  readonly pool: Dispatcher;
  /** Sent with each request, before its own. */
  readonly headers: Readonly<Record<string, string>>;
  /** From the request's start to the last byte of its answer. */
  readonly timeoutMs: number;
  /** Where the request's `maxContentLength` does not say otherwise. */
  readonly maxAnswerBytes: number;
}

/**
 * Transports axios requests over an undici pool, at a fraction of the cost of axios's own transport. `url` is a path on
 * the pool's origin, `data` comes back as bytes of every status, and of the headers only Retry-After; nothing is
 * redirected, decompressed, retried or sent through a proxy.
 */
export function undiciAdapter(transport: Transport): AxiosAdapter {
  return (config) =>
    new Promise((resolve, reject) => {
      const exchange = new Exchange(config, transport, resolve, reject);
      transport.pool.dispatch(requestOf(config, transport), exchange);
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

/** One request and its answer, settled once: by the answer's end, by a failure, or by the deadline. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private readonly headers = new HeaderWatch(() => this.breakOffHeaders());
  private readonly limit: number;
  private controller: Dispatcher.DispatchController | null = null;
  private failure: AxiosError | null = null;
  private status = 0;
  private interim = 0;
  private retryAfter: string | string[] | undefined;
  private body: Buffer = NOTHING;
  private size = 0;

  constructor(
    private readonly config: InternalAxiosRequestConfig,
    { timeoutMs, maxAnswerBytes }: Transport,
    private readonly resolve: (response: AxiosResponse<Buffer>) => void,
    private readonly reject: (error: AxiosError) => void,
  ) {
    this.timer = setTimeout(() => this.breakOffLate(), timeoutMs);
    this.limit = config.maxContentLength ?? maxAnswerBytes;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // Given up while it waited for a connection: it must not be sent any more.
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
    if (Number(headers['content-length']) > this.limit) this.breakOffTooLarge();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.failure !== null) return;
    this.headers.reset();
    const size = this.size + chunk.length;
    if (size > this.limit) return this.breakOffTooLarge();
    if (this.size === 0) this.body = chunk;
    else this.append(chunk, size);
    this.size = size;
  }

  onResponseEnd(): void {
    this.succeed(this.body.subarray(0, this.size));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    // Of an error in the HTTP itself only the name is sure.
    this.fail(new AxiosError(error.message, error.code ?? error.name));
  }

  /** One growing buffer: a list of a million one-byte chunks would take a hundred times their size. */
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
      this.breakOff(new AxiosError('too many interim answers', TOO_MANY_INTERIM));
  }

  private breakOffHeaders(): void {
    this.breakOff(new AxiosError('too many headers', TOO_MANY_HEADERS));
  }

  private breakOffTooLarge(): void {
    const failure = new AxiosError('the answer is too large', ANSWER_TOO_LARGE);
    failure.status = this.status;
    this.breakOff(failure);
  }

  private breakOffLate(): void {
    this.breakOff(new AxiosError('the deadline has passed', DEADLINE_PASSED));
  }

  private breakOff(failure: AxiosError): void {
    this.fail(failure);
    this.controller?.abort(failure);
  }

  private fail(failure: AxiosError): void {
    if (this.failure !== null) return;
    this.failure = failure;
    clearTimeout(this.timer);
    this.headers.end();
    // A status that tells of an error, and its Retry-After, are worth more than the body they came with.
    if (this.status >= 300) this.succeed(NOTHING);
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
