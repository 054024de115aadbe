import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A connection that takes nothing of its answer for so long is closed. Not sooner: the system frees its buffers in steps of
 * up to a megabyte, so that a slow client that reads steadily seems to take nothing for a while.
 */
export const UNREAD_MS = 60_000;
const CHECKS_WITHIN = 5;

interface Mark {
  readonly taken: string;
  readonly since: number;
}

/**
 * Closes connections whose client takes nothing of an answer that waits for it: it would be held for ever. Node's own
 * time-outs count what the client sends, too. A handler that takes long is not meant: nothing waits to be sent then.
 */
export function closeUnread(server: Server, unreadMs: number): void {
  const marks = new Map<Socket, Mark | null>();
  server.on('connection', (socket: Socket) => {
    marks.set(socket, null);
    socket.once('close', () => marks.delete(socket));
  });
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, mark] of marks) {
      const next = markOf(socket, mark, now);
      // Not destroy(): the system would go on offering what it has taken over.
      if (next !== null && now - next.since >= unreadMs) socket.resetAndDestroy();
      else marks.set(socket, next);
    }
  }, unreadMs / CHECKS_WITHIN);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/** Null: nothing waits to be taken. */
function markOf(socket: Socket, mark: Mark | null, now: number): Mark | null {
  if (socket.writableLength === 0) return null;
  const taken = takenBy(socket);
  return mark?.taken === taken ? mark : { taken, since: now };
}

/** Changes with whatever the system takes: whole writes, and parts of the one that is under way. */
function takenBy(socket: Socket): string {
  const { _handle: handle } = socket as { _handle?: { readonly writeQueueSize?: number } | null };
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize ?? 0}`;
}
