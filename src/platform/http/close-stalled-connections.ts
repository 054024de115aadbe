import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How long a client may read nothing of its response. A shorter time would be wrong: the system frees its buffers in steps of
 * up to a megabyte, so that a slow but steady client seems to read nothing for a while.
 */
export const UNREAD_TIMEOUT_MS = 60_000;
const CHECKS_WITHIN = 5;

interface Progress {
  readonly taken: string;
  readonly since: number;
}

/**
 * Resets connections whose client does not read the waiting response, which would hold memory for ever. Node's own time-outs
 * restart with every byte that the client sends. A slow handler is not affected: then no bytes wait.
 */
export function closeStalledConnections(server: Server, unreadTimeoutMs: number): void {
  const progress = new Map<Socket, Progress | null>();
  server.on('connection', (socket: Socket) => {
    progress.set(socket, null);
    socket.once('close', () => progress.delete(socket));
  });
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, previous] of progress) {
      const next = progressOf(socket, previous, now);
      // After destroy() the system would still send the bytes that it has buffered.
      if (next !== null && now - next.since >= unreadTimeoutMs) socket.resetAndDestroy();
      else progress.set(socket, next);
    }
  }, unreadTimeoutMs / CHECKS_WITHIN);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/** Null: no bytes are waiting. */
function progressOf(socket: Socket, previous: Progress | null, now: number): Progress | null {
  if (socket.writableLength === 0) return null;
  const taken = bytesTakenBy(socket);
  return previous?.taken === taken ? previous : { taken, since: now };
}

/** Changes with every byte that the system takes, of whole writes and of parts of the current write. */
function bytesTakenBy(socket: Socket): string {
  const { _handle: handle } = socket as { _handle?: { readonly writeQueueSize?: number } | null };
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize ?? 0}`;
}
