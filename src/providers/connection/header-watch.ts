import type { Socket } from 'node:net';

import { HeaderLimit } from '../../platform/bounded-reading/header-limit.ts';
import { type ChunkObserver, observeChunks } from '../../platform/bounded-reading/read-in-chunks.ts';
import type { SocketObserver } from '../../platform/bounded-reading/observe-next-socket.ts';

/** Bounds the headers of one answer. Its connection knows it until the next request, and through it nothing of the answer. */
export class HeaderWatch implements SocketObserver, ChunkObserver {
  private readonly headers = new HeaderLimit();

  /** `onPassed` breaks the answer off. */
  constructor(private onPassed: (() => void) | null) {}

  onSocket(socket: Socket): void {
    observeChunks(socket, this);
  }

  beforeChunk(): void {
    if (this.headers.isExceeded) this.onPassed?.();
  }

  onChunk(piece: Buffer): void {
    this.headers.add(piece);
  }

  /** What was given was no header, or its headers are done with. */
  reset(): void {
    this.headers.reset();
  }

  end(): void {
    this.onPassed = null;
  }
}
