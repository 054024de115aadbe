import type { Socket } from 'node:net';

import { HeaderLimit } from '../../platform/bounded-reading/header-limit.ts';
import { type ChunkObserver, observeChunks } from '../../platform/bounded-reading/read-in-chunks.ts';
import type { SocketObserver } from '../../platform/bounded-reading/observe-next-socket.ts';

/**
 * Bounds the headers of one response. The socket refers to this small object until its next request, and not to the
 * response, whose memory is free once it has ended.
 */
export class HeaderWatch implements SocketObserver, ChunkObserver {
  private readonly headers = new HeaderLimit();

  /** `onExceeded` aborts the request. */
  constructor(private onExceeded: (() => void) | null) {}

  onSocket(socket: Socket): void {
    observeChunks(socket, this);
  }

  beforeChunk(): void {
    if (this.headers.isExceeded) this.onExceeded?.();
  }

  onChunk(chunk: Buffer): void {
    this.headers.add(chunk);
  }

  /** Starts to count anew: the bytes before this were body, or headers that are complete. */
  reset(): void {
    this.headers.reset();
  }

  end(): void {
    this.onExceeded = null;
  }
}
