import { Client, type buildConnector, type Dispatcher } from 'undici';

import { observeNextSocket } from '../bounded-reading/socket-reading.ts';
import { HeaderWatch } from './header-watch.ts';
import { ExchangeError } from './exchange-error.ts';

/** A body in more chunks than this must have chunks of some length: each chunk costs callbacks, however short it is. */
const MAX_SHORT_CHUNKS = 1_000;
const SHORT_CHUNK_BYTES = 16;

const NO_BYTES = Buffer.alloc(0);

/** Receives the end of an exchange: one call of onResponse or onFailure. */
export interface ExchangeEnd {
  /** The connection is open, and the request is being sent. */
  readonly onSent?: (() => void) | undefined;
  /** `retryAfter` is the only header that is passed on. */
  onResponse(status: number, retryAfter: string | undefined, body: Buffer): void;
  onFailure(failure: ExchangeError): void;
}

/**
 * Sends one request after another over a keep-alive connection of its own. One object serves all requests, so that a waiting
 * request keeps few objects in memory. After a failure the object cannot be used again. It handles undici's events by their
 * former names: for the newer names, undici wraps each handler and turns all headers of each response into an object.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly client: Client;
  private readonly headers = new HeaderWatch(() => this.fail(new ExchangeError('TOO_MANY_HEADERS')));
  private end: ExchangeEnd | null = null;
  private limit = 0;
  private failure: ExchangeError | null = null;
  private abort: ((reason: Error) => void) | null = null;
  /**
   * Keeps running after a response, since most requests end long before their deadline; the deadline is checked when it
   * fires.
   */
  private timer: NodeJS.Timeout | null = null;
  private deadline = 0;
  private status = 0;
  private chunks = 0;
  private retryAfter: string | undefined;
  private body: Buffer = NO_BYTES;
  private size = 0;

  constructor(
    origin: string,
    connect: buildConnector.connector,
    private readonly timeoutMs: number,
    /** Called before the end of each exchange is passed on. `isUsable`: the exchange can send another request. */
    private readonly onFree: (exchange: HttpExchange, isUsable: boolean) => void,
  ) {
    // The deadline covers the phases that undici's own time-outs measure separately.
    this.client = new Client(origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** The deadline counts from now to the last byte of the response. */
  send(request: Dispatcher.DispatchOptions, maxResponseBytes: number, end: ExchangeEnd): void {
    this.end = end;
    this.abort = null;
    this.limit = maxResponseBytes;
    this.deadline = performance.now() + this.timeoutMs;
    this.timer ??= setTimeout(() => this.checkDeadline(), this.timeoutMs);
    this.client.dispatch(request, this);
  }

  /** Ends the exchange's connection. Only for an exchange that has failed, or whose pool is closed. */
  destroy(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    return this.client.destroy();
  }

  onConnect(abort: (reason: Error) => void): void {
    this.abort = abort;
    this.end?.onSent?.();
    observeNextSocket(this.headers);
  }

  /** `headers` are names and values in turn, as they came. */
  onHeaders(status: number, headers: readonly Buffer[]): boolean {
    this.headers.reset();
    this.begin(status, headers);
    return true;
  }

  /** True: undici goes on reading. */
  onData(chunk: Buffer): boolean {
    if (this.failure === null) this.add(chunk);
    return true;
  }

  onComplete(): void {
    if (this.failure !== null) return;
    const { status, retryAfter, body, size } = this;
    const end = this.reset();
    this.onFree(this, true);
    try {
      end?.onResponse(status, retryAfter, body.subarray(0, size));
    } catch (error) {
      // Deferred: undici would fail the request that this connection may have been given meanwhile.
      setImmediate(() => {
        throw error;
      });
    }
  }

  onError(error: Error & { code?: string }): void {
    // An HTTP parser error may have no code; it always has a name.
    this.fail(new ExchangeError(error.code ?? error.name));
  }

  private begin(status: number, headers: readonly Buffer[]): void {
    this.status = status;
    this.retryAfter = valueOf(headers, 'retry-after');
    if (Number(valueOf(headers, 'content-length')) > this.limit)
      this.fail(new ExchangeError('RESPONSE_TOO_LARGE', status));
  }

  private add(chunk: Buffer): void {
    this.headers.reset();
    const size = this.size + chunk.length;
    if (size > this.limit) return this.fail(new ExchangeError('RESPONSE_TOO_LARGE', this.status));
    this.chunks += 1;
    if (this.chunks > MAX_SHORT_CHUNKS + size / SHORT_CHUNK_BYTES)
      return this.fail(new ExchangeError('TOO_MANY_CHUNKS', this.status));
    if (this.size === 0) this.body = chunk;
    else this.append(chunk, size);
    this.size = size;
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

  private checkDeadline(): void {
    this.timer = null;
    if (this.end === null) return;
    const leftMs = this.deadline - performance.now();
    if (leftMs > 0) this.timer = setTimeout(() => this.checkDeadline(), Math.ceil(leftMs));
    else this.fail(new ExchangeError('DEADLINE_PASSED'));
  }

  private fail(failure: ExchangeError): void {
    if (this.failure !== null) return;
    this.failure = failure;
    this.abort?.(failure);
    const { status, retryAfter } = this;
    const end = this.reset();
    this.onFree(this, false);
    // A response with a status of 300 or more is usable without its body: only its Retry-After is read.
    if (status >= 300) end?.onResponse(status, retryAfter, NO_BYTES);
    else end?.onFailure(failure);
  }

  private reset(): ExchangeEnd | null {
    const { end } = this;
    this.headers.end();
    this.end = null;
    this.status = 0;
    this.chunks = 0;
    this.retryAfter = undefined;
    this.body = NO_BYTES;
    this.size = 0;
    return end;
  }
}

/** `headers` alternates names and values; undefined where the name is missing. */
function valueOf(headers: readonly Buffer[], name: string): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const header = headers[at];
    // Only names of the right length become strings, and few names have it.
    if (header?.length === name.length && header.toString('latin1').toLowerCase() === name)
      return headers[at + 1]?.toString('latin1');
  }
  return undefined;
}
