import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6, type Socket } from 'node:net';

import type { Dispatcher } from 'undici';

import { HeaderLimit } from '../../platform/bounded-reading/header-limit.ts';
import { ResponseHead } from '../../platform/bounded-reading/response-head.ts';
import {
  type ChunkObserver,
  observeChunks,
  observeNextSocket,
  type SocketObserver,
} from '../../platform/bounded-reading/socket-reading.ts';
import { type Connection, connectionOf } from './attempt-code.ts';
import { EXCERPT_BYTES, MAX_BODY_BYTES, type RawExcerpt } from './excerpt.ts';

/** How one attempt ended, and at which address. A response counts as soon as its status has arrived. */
export type Ending = End & {
  /** The address with its port; null when no connection was made. */
  readonly address: string | null;
  /** Null: no request was sent, since there was no connection or no TLS. */
  readonly connection: Connection | null;
};

type End =
  | {
      readonly kind: 'answered';
      readonly httpStatus: number;
      readonly retryAfter: string | undefined;
      readonly excerpt: RawExcerpt;
    }
  | { readonly kind: 'broken'; readonly error: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'flooded' }
  | { readonly kind: 'aborted' };

/** The body is read only to reuse the connection; a slower body ends the connection. */
const BODY_WITHIN_MS = 2_000;

/** One HTTP attempt, bounded in time and size; `ended` always resolves. */
export class HttpAttempt implements Dispatcher.DispatchHandler, SocketObserver, ChunkObserver {
  readonly ended: Promise<Ending>;
  private end: (ending: Ending) => void = () => undefined;
  private controller: Dispatcher.DispatchController | null = null;
  private answer: Omit<Extract<End, { kind: 'answered' }>, 'excerpt'> | null = null;
  private media: Pick<RawExcerpt, 'encoding' | 'contentType'> = { encoding: '', contentType: '' };
  private connection: Connection | null = null;
  private address: string | null = null;
  private excerpt = Buffer.alloc(0);
  private isOver = false;
  private bodyBytes = 0;
  private readonly headers = new HeaderLimit();
  private readonly head = new ResponseHead(() => this.headers.addInterim());
  private bodyTimer: NodeJS.Timeout | undefined;
  private readonly deadline: NodeJS.Timeout;
  private readonly onAbort = (): void => this.stop({ kind: 'aborted' });

  constructor(
    timeoutMs: number,
    private readonly signal: AbortSignal,
  ) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    this.deadline = setTimeout(() => this.stop({ kind: 'timeout' }), timeoutMs);
    signal.addEventListener('abort', this.onAbort);
    if (signal.aborted) this.onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The deadline may have passed while the attempt waited for a connection.
    if (this.isOver) {
      controller.abort(new Error('over'));
      return;
    }
    this.controller = controller;
    observeNextSocket(this);
  }

  onSocket(socket: Socket): void {
    this.address = addressOf(socket.remoteAddress, socket.remotePort);
    this.connection = connectionOf(socket);
    observeChunks(socket, this);
  }

  beforeChunk(): void {
    if (this.headers.isExceeded) this.stop({ kind: 'flooded' });
  }

  onChunk(chunk: Buffer): Buffer {
    if (this.connection?.heard === null) this.connection = { ...this.connection, heard: chunk };
    this.headers.add(chunk);
    return this.head.takeChunk(chunk);
  }

  onResponseStart(_: Dispatcher.DispatchController, httpStatus: number, headers: IncomingHttpHeaders): void {
    this.headers.reset();
    // A number below 100 is no status, and undici ends the connection.
    if (httpStatus < 100) return;
    this.answer = { kind: 'answered', httpStatus, retryAfter: firstOf(headers['retry-after']) };
    this.media = {
      // undici passes an array for a header that occurs several times, whatever its types say.
      encoding: [headers['content-encoding'] ?? []].flat().join(', '),
      contentType: firstOf(headers['content-type']) ?? '',
    };
    this.bodyTimer = setTimeout(() => this.stop({ kind: 'timeout' }), BODY_WITHIN_MS);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.headers.reset();
    this.bodyBytes += chunk.length;
    const missing = EXCERPT_BYTES - this.excerpt.length;
    if (missing > 0) this.excerpt = Buffer.concat([this.excerpt, chunk.subarray(0, missing)]);
    if (this.bodyBytes > MAX_BODY_BYTES) this.stop({ kind: 'flooded' });
  }

  onResponseEnd(): void {
    this.finish({ kind: 'broken', error: new Error('ended without an answer') });
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: unknown): void {
    this.finish({ kind: 'broken', error });
  }

  /** Ends the attempt from our side and drops its connection. */
  private stop(end: End): void {
    this.finish(end);
    this.controller?.abort(new Error('over'));
  }

  /** The status decides the result once it has arrived, even if reading the body fails. */
  private finish(end: End): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.deadline);
    clearTimeout(this.bodyTimer);
    this.signal.removeEventListener('abort', this.onAbort);
    const address = this.address ?? (end.kind === 'broken' ? triedAddressOf(end.error) : null);
    const { media, excerpt: bytes, bodyBytes, connection } = this;
    const known = this.answer && { ...this.answer, excerpt: { ...media, bytes, bodyBytes } };
    this.end({ ...(known ?? end), address, connection });
  }
}

/** undici passes a repeated header as an array, although its type is a string. */
function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function addressOf(address: string | undefined, port: number | undefined): string | null {
  if (address === undefined || port === undefined) return null;
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The address in a connection error; with several addresses, the last one that was tried. */
function triedAddressOf(error: unknown): string | null {
  const { errors } = (error ?? {}) as { errors?: unknown };
  const { address, port } = ((Array.isArray(errors) ? errors.at(-1) : error) ?? {}) as Record<
    string,
    unknown
  >;
  return typeof address === 'string' && typeof port === 'number' ? addressOf(address, port) : null;
}
