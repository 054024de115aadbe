import { randomUUID } from 'node:crypto';

import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

import { isAnswered } from './early-answer.ts';

const REQUEST_ID = /^[\w.:-]{1,128}$/;
const MAX_PATH_LENGTH = 300;

/** What the parts of a request's way leave for its log line, in `response.locals`. */
export interface RequestNotes {
  requestId?: string;
  /** The problem's code, when it ended in one. */
  code?: string;
  /** For the log only. */
  reason?: string;
}

/** The path as it was asked for, without the query: a query may hold what no log should. */
export function pathOf(request: Request): string {
  return (request.originalUrl.split('?', 1)[0] ?? '').slice(0, MAX_PATH_LENGTH);
}

/** Asked every few seconds by whoever watches over the service. */
const WATCHED = /^\/(health|metrics)(\/|$)/;

const log = new Logger('Http');

/** Gives each request an id, the headers every answer has, and one line in the log when it is over. */
export function requestLog(request: Request, response: Response, next: NextFunction): void {
  const startedAt = performance.now();
  const requestId = acceptedId(request) ?? randomUUID();
  (response.locals as RequestNotes).requestId = requestId;
  // Without a cache-control, proxies may keep a status for a tenth of its age by its Last-Modified.
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
  const aborted = !response.writableFinished && !isAnswered(response);
  const line = {
    msg: `${request.method} ${path} ${aborted ? 'aborted' : response.statusCode}`,
    method: request.method,
    path,
    status: response.statusCode,
    ms,
    ...(aborted ? { aborted } : {}),
    ...response.locals,
  };
  if (WATCHED.test(path)) log.debug(line);
  else log.log(line);
}
