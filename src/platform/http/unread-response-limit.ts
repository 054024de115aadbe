import type { Response } from 'express';

/** The most memory that unread responses to the clients of one API key may take. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** Smaller responses fit into the system's socket buffers at once. */
const COUNTED_FROM_BYTES = 64 * 1024;

/** Bounds the unread response bytes of each API key: a new response resets the connections of the oldest responses. */
export class UnreadResponseLimit {
  private readonly byKey = new Map<string, Map<Response, number>>();

  constructor(private readonly maxBytes: number = MAX_UNREAD_BYTES) {}

  add(keyName: string, response: Response, bytes: number): void {
    // A destroyed response holds no memory, and emits no `close` any more.
    if (bytes < COUNTED_FROM_BYTES || response.destroyed) return;
    const unread = this.byKey.get(keyName) ?? new Map<Response, number>();
    this.byKey.set(keyName, unread);
    let sum = bytes;
    for (const size of unread.values()) sum += size;
    for (const [oldest, size] of unread) {
      if (sum <= this.maxBytes) break;
      sum -= size;
      unread.delete(oldest);
      oldest.socket?.resetAndDestroy();
    }
    unread.set(response, bytes);
    response.once('close', () => {
      unread.delete(response);
      if (unread.size === 0) this.byKey.delete(keyName);
    });
  }
}
