import type { Request, Response } from 'express';

import { refusePipelinedBehind } from '../../platform/http/serialize-pipelined.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Without this header, nginx and similar proxies hold events back until a buffer is full.
  'x-accel-buffering': 'no',
};

/** Sends the head of a stream. False: the client has left, or asks only for the head. */
export function beginStream(request: Request, response: Response, cacheControl = 'no-cache'): boolean {
  // The client has left, or the response has no socket that would signal it.
  if (response.destroyed || response.socket === null) return false;
  response
    .status(200)
    .set({ ...HEADERS, 'cache-control': cacheControl })
    .flushHeaders();
  if (request.method === 'HEAD') {
    response.end();
    return false;
  }
  refusePipelinedBehind(request.socket);
  return true;
}
