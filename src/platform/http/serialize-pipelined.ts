import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

import type { NextFunction, Request, Response } from 'express';

/** A client that waits for its responses never reaches this number; behind an endless stream, requests would pile up. */
const MAX_WAITING = 16;

/** For each connection, the responses that wait for earlier ones, in order. */
const waiting = new WeakMap<Socket, Response[]>();
const endless = new WeakSet<Socket>();
/** Connections with more requests than may wait. */
const full = new WeakSet<Socket>();

/**
 * Closes the connection when a request is pipelined behind a response that does not end. Such a request would wait for ever.
 * One with a large body would even stop Node from reading the connection and from noticing that the client leaves.
 */
export function refusePipelinedBehind(socket: Socket): void {
  endless.add(socket);
  if (full.has(socket) || (waiting.get(socket) ?? []).length > 0) socket.destroy();
}

/**
 * Starts a pipelined request only once the earlier responses of its connection are sent. A response that is queued behind
 * another one has no socket: its handler would not learn that the connection is closed, and would keep its resources for
 * ever. A request that waits here holds no resources and is dropped with its connection. Requests beyond the bound get no
 * answer: the connection is read no further, and ends with the answer to the last one that waits.
 */
export function serializePipelined({ socket }: Request, response: Response, next: NextFunction): void {
  // Node may still parse a request between the last answer and the end of the connection.
  if (full.has(socket)) return void socket.pause();
  if (response.socket !== null) return next();
  if (endless.has(socket)) return void socket.destroy();
  const before = waiting.get(socket) ?? [];
  if (before.length === MAX_WAITING) {
    full.add(socket);
    before.at(-1)?.setHeader('connection', 'close');
    return void socket.pause();
  }
  waiting.set(socket, before);
  before.push(response);
  response.once('socket', () => {
    before.shift();
    process.nextTick(() => {
      if (!socket.destroyed) next();
    });
  });
}

/**
 * Drops requests of a connection that is already closed: Node parses the rest of the bytes that it has read, which may be
 * thousands of requests. Call it once the server has its listener.
 */
export function dropRequestsOfClosed(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (request.socket.destroyed) return;
    for (const listener of listeners) listener.call(server, request, response);
  });
}
