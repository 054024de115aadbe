import type { Response } from 'express';

/** What answers to the clients of one key may hold in memory until they are read. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Smaller ones are taken by the system at once. */
const COUNTED_FROM_BYTES = 64 * 1024;

/** Keeps what one key's clients leave unread within a bound: the oldest of their answers give way to a new one. */
export class HeldAnswers {
  private readonly byKey = new Map<string, Map<Response, number>>();

  constructor(private readonly maxBytes: number = MAX_HELD_BYTES) {}

  hold(keyName: string, response: Response, bytes: number): void {
    // Of a client that has left nothing is held, and no `close` would come any more.
    if (bytes < COUNTED_FROM_BYTES || response.destroyed) return;
    const held = this.byKey.get(keyName) ?? new Map<Response, number>();
    this.byKey.set(keyName, held);
    let sum = bytes;
    for (const size of held.values()) sum += size;
    for (const [oldest, size] of held) {
      if (sum <= this.maxBytes) break;
      sum -= size;
      held.delete(oldest);
      oldest.socket?.resetAndDestroy();
    }
    held.set(response, bytes);
    response.once('close', () => {
      held.delete(response);
      if (held.size === 0) this.byKey.delete(keyName);
    });
  }
}
