import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';

import { respondAndClose, isBodyPending } from './respond-and-close.ts';
import { type Problem, problemOf } from './problem.ts';
import { pathOf, type RequestNotes } from './request-log.ts';

const NO_CONTENT = 204;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Sends every thrown error as `application/problem+json`, including Nest's own for a request without a route. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const allow = error instanceof NotFoundException ? otherMethods(request) : null;
    if (allow === null) this.send(error, request, response);
    else if (request.method === 'OPTIONS') response.status(NO_CONTENT).set({ allow }).end();
    else this.send(new MethodNotAllowed(request.method, allow), request, response);
  }

  private send(error: unknown, request: Request, response: Response): void {
    const notes = response.locals as RequestNotes;
    const isChange = !READING.has(request.method);
    const problem = problemOf(error, pathOf(request), notes.requestId ?? null, isChange);
    notes.code = problem.code;
    // The message of a known 5xx error is the reason, which only the request's log line shows.
    if (problem.status >= 500 && error instanceof Error) notes.reason = error.message;
    if (problem.code === 'internal') this.report(error, request, notes);
    send(request, response, problem);
  }

  private report(error: unknown, request: Request, notes: RequestNotes): void {
    const err = error instanceof Error ? error : new Error(`thrown: ${typeof error}`);
    this.log.error({
      msg: `${request.method} ${pathOf(request)} failed: ${err.message}`,
      requestId: notes.requestId,
      err,
    });
  }
}

function send(request: Request, response: Response, problem: Problem): void {
  // A response that has begun cannot be replaced: closing the connection shows the client that it is incomplete.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The handler may have set headers, such as an ETag, for the response that is replaced now.
  for (const name of ['etag', 'last-modified', 'content-encoding', 'content-length'])
    response.removeHeader(name);
  const text = JSON.stringify(problem.body);
  response.status(problem.status).set(problem.headers);
  if (isBodyPending(request)) respondAndClose(request, response, text);
  else response.send(text);
}

/** The path exists, but allows other methods. */
class MethodNotAllowed extends Error {
  readonly code = 'method_not_allowed';
  constructor(
    method: string,
    /** The methods of the path. */
    readonly allow: string,
  ) {
    super(`This path has no ${method}, but ${allow}.`);
  }
}

/** An entry of Express's router, whose types lack these members. */
interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/**
 * The methods of the path, for the header `Allow`, if the requested one is not among them; null: it is, or the path does not
 * exist.
 */
function otherMethods({ app, path, method }: Request): string | null {
  const layers = app.router.stack as unknown as readonly Layer[];
  const routes = layers.filter((layer) => layer.match(path)).map(({ route }) => route?.methods ?? {});
  const taken = new Set(routes.flatMap((methods) => Object.keys(methods)));
  if (taken.has('get')) taken.add('head');
  if (taken.size === 0 || taken.has(method.toLowerCase())) return null;
  return [...taken.add('options')]
    .map((word) => word.toUpperCase())
    .toSorted()
    .join(', ');
}
