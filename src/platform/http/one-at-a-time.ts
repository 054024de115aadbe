import type { Socket } from 'node:net';

import type { NextFunction, Request, Response } from 'express';

/** No client that waits for its answers gets near; behind a stream that never ends more would pile up. */
const MAX_WAITING = 16;

const waiting = new WeakMap<Socket, number>();
const endless = new WeakSet<Socket>();

/**
 * The answer on this connection does not end: a request behind it would wait for ever, and one with a large body stops the
 * connection from being read, so that nobody would see that the client leaves. Either closes the connection.
 */
export function allowNoneBehind(socket: Socket): void {
  endless.add(socket);
  if ((waiting.get(socket) ?? 0) > 0) socket.destroy();
}

/**
 * Starts a request only once the answers before it on its connection are sent. A response that is queued behind another
 * has no socket, so that nothing would tell its handler when the connection is closed: what it holds would be held for
 * ever. A request that waits here holds nothing and goes with its connection.
 */
export function oneAtATime({ socket }: Request, response: Response, next: NextFunction): void {
  if (response.socket !== null) return next();
  const count = (waiting.get(socket) ?? 0) + 1;
  waiting.set(socket, count);
  if (count > MAX_WAITING || endless.has(socket)) {
    socket.destroy();
    return;
  }
  response.once('socket', () => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    process.nextTick(() => {
      if (!socket.destroyed) next();
    });
  });
}
