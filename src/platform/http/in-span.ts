import type { Response } from 'express';

import type { Span } from '../../ports/tracer.ts';
import { problemOf } from './problem.ts';
import type { RequestNotes } from './request-log.ts';

/**
 * Does the work of a request and ends its span, with the outcome that `outcomeOf` makes of the result or with the problem's
 * code. `response` is null for a message, the span is null while tracing is off.
 */
export async function inSpan<Done>(
  span: Span | null,
  response: Response | null,
  work: () => Promise<Done>,
  outcomeOf: (done: Done) => string,
): Promise<Done> {
  if (span === null) return work();
  if (response !== null) (response.locals as RequestNotes).trace_id = span.traceId;
  try {
    const done = await work();
    span.end(outcomeOf(done), false, response?.statusCode ?? null);
    return done;
  } catch (error) {
    const { code, status } = problemOf(error, '', null);
    span.end(code, status >= 500, response === null ? null : status);
    throw error;
  }
}
