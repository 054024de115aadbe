import type { IncomingMessage } from 'node:http';

import type { Request, Response } from 'express';

/** A client that sends all before it reads must come to the answer; what is beyond this is not waited for. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024;
const MAX_DRAIN_MS = 30_000;

const answered = new WeakSet<Response>();

/** True while the client may still be sending the request's body. */
export function isBodyComing({ headers, complete }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return !complete && (encoding !== undefined || length !== '0');
}

/** True for a response that was sent by `answerAndClose`: Node does not count it as finished. */
export function isAnswered(response: Response): boolean {
  return answered.has(response);
}

/**
 * Answers before the body was read, and closes the connection so that the answer arrives: a socket that is closed with
 * unread bytes resets the connection, and the client would see that instead. Our half is ended at once, and what the
 * client sends is thrown away for a while.
 */
export function answerAndClose(request: Request, response: Response, text: string): void {
  const { socket } = request;
  answered.add(response);
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
