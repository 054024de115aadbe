import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';

import { answerAndClose, isBodyComing } from './early-answer.ts';
import { type Problem, problemOf } from './problem.ts';
import { pathOf, type RequestNotes } from './request-log.ts';

/** Answers everything that is thrown as `application/problem+json`. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const notes = response.locals as RequestNotes;
    const problem = problemOf(error, pathOf(request), notes.requestId ?? null);
    notes.code = problem.code;
    // The message of a known 5xx says the reason, for the request's log line only.
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
  // Half an answer can't be taken back: only a cut connection tells the client that it is not whole.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // What the handler prepared (an ETag, a Last-Modified) belongs to an answer that is not sent.
  for (const name of ['etag', 'last-modified', 'content-encoding', 'content-length'])
    response.removeHeader(name);
  const text = JSON.stringify(problem.body);
  response.status(problem.status).set(problem.headers);
  if (isBodyComing(request)) answerAndClose(request, response, text);
  else response.send(text);
}
