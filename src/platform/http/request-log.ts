import { randomUUID } from 'node:crypto';

import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

import { wasClosedEarly } from './respond-and-close.ts';

const REQUEST_ID = /^[\w.:-]{1,128}$/;
const MAX_PATH_LENGTH = 300;

/** The fields that middleware and filters add to the request's log line, in `response.locals`. */
export interface RequestNotes {
  requestId?: string;
  /** The code of the problem that was sent. */
  code?: string;
  /** The reason of a 5xx; never sent to the client. */
  reason?: string;
  /** The key of a request that the key's role may not make. */
  keyName?: string;
  role?: string;
  /** The trace of a request that is traced. */
  trace_id?: string;
}

/** The requested path without the query, which may hold data that must not be logged. */
export function pathOf(request: Request): string {
  return (request.originalUrl.split('?', 1)[0] ?? '').slice(0, MAX_PATH_LENGTH);
}

/** Logged at `debug`: monitoring requests health and metrics every few seconds, and a page requests a dozen assets. */
const PROBED = /^\/(health|metrics|dashboard\/assets)(\/|$)/;

const log = new Logger('Http');

/** Gives each request an id, sets the headers of every response, and logs one line when the response is over. */
export function requestLog(request: Request, response: Response, next: NextFunction): void {
  const startedAt = performance.now();
  const requestId = acceptedId(request) ?? randomUUID();
  (response.locals as RequestNotes).requestId = requestId;
  // Without a cache-control, proxies may cache a response for a tenth of its age by Last-Modified.
  response.set({
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
  });
  response.once('close', () => {
    writeLine(request, response, Math.round((performance.now() - startedAt) * 10) / 10);
  });
  next();
}

function acceptedId(request: Request): string | null {
  const id = request.headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : null;
}

function writeLine(request: Request, response: Response, ms: number): void {
  const path = pathOf(request);
  const aborted = !response.writableFinished && !wasClosedEarly(response);
  const line = {
    msg: `${request.method} ${path} ${aborted ? 'aborted' : response.statusCode}`,
    method: request.method,
    path,
    status: response.statusCode,
    ms,
    ...(aborted ? { aborted } : {}),
    ...response.locals,
  };
  // Lines of successful requests would hide the warnings.
  if (!aborted && response.statusCode < 400) log.debug(line);
  else if (PROBED.test(path)) log.debug(line);
  else log.log(line);
}
