import type { Socket } from 'node:net';

import { HeaderLimit } from '../bounded-reading/header-limit.ts';
import { ResponseHead } from '../bounded-reading/response-head.ts';
import { type ChunkObserver, observeChunks, type SocketObserver } from '../bounded-reading/socket-reading.ts';

/** Bounds and tidies the response headers of the requests that a connection sends one after another. */
export class HeaderWatch implements SocketObserver, ChunkObserver {
  private readonly headers = new HeaderLimit();
  private readonly head = new ResponseHead(() => this.headers.addInterim());
  private isWaiting = false;

  /** `onExceeded` aborts the request. */
  constructor(private readonly onExceeded: () => void) {}

  onSocket(socket: Socket): void {
    this.isWaiting = true;
    this.headers.reset();
    this.head.restart();
    observeChunks(socket, this);
  }

  beforeChunk(): void {
    if (this.isWaiting && this.headers.isExceeded) this.onExceeded();
  }

  onChunk(chunk: Buffer): Buffer {
    // One chunk is too short to exceed a limit of the head.
    if (this.head.passUsual(chunk)) return chunk;
    this.headers.add(chunk);
    return this.head.takeChunk(chunk);
  }

  /** Starts the count anew: the earlier bytes were body, or complete headers. */
  reset(): void {
    this.headers.reset();
  }

  /** Ignores bytes until the next request. */
  end(): void {
    this.isWaiting = false;
  }
}
