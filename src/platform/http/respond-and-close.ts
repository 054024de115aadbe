import type { IncomingMessage } from 'node:http';

import type { Request, Response } from 'express';

/** A client may send its whole body before it reads the response: up to this much is read and discarded. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024;
const MAX_DRAIN_MS = 30_000;

const closedEarly = new WeakSet<Response>();

/** True while the client may still be sending the request's body. */
export function isBodyPending({ headers, complete }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return !complete && (encoding !== undefined || length !== '0');
}

/** True for a response that `respondAndClose` sent: Node does not count it as finished. */
export function wasClosedEarly(response: Response): boolean {
  return closedEarly.has(response);
}

/**
 * Sends the response before the request's body was read, and closes the connection so that the response still arrives. Closing
 * a socket with unread bytes would reset the connection, and the client would see the reset instead. This function therefore
 * ends our half at once and discards the rest of the body, within limits of size and time.
 */
export function respondAndClose(request: Request, response: Response, text: string): void {
  const { socket } = request;
  closedEarly.add(response);
  response.set({ connection: 'close', 'content-length': String(Buffer.byteLength(text)) });
  response.flushHeaders();
  response.write(text);
  socket.end();
  const close = (): void => void socket.destroy();
  const late = setTimeout(close, MAX_DRAIN_MS).unref();
  socket.once('close', () => clearTimeout(late));
  let drained = 0;
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > MAX_DRAINED_BYTES) close();
  });
  request.once('end', close);
}
