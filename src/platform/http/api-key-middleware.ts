import type { NextFunction, Response } from 'express';

import type { KeyedRequest } from './keyed-request.ts';
import { RequestsInFlight } from './requests-in-flight.ts';

/** The paths below which every request needs an API key, which is checked before a byte of the body is read. */
export const KEYED_PATHS = ['/api', '/sandbox'];

/** Sets the name of the request's API key on the request; throws when the key is missing or unknown. */
export abstract class ApiKeyChecker {
  abstract check(request: KeyedRequest): Promise<void>;
}

type Middleware = (request: KeyedRequest, response: Response, next: NextFunction) => Promise<void>;

/** Passes on only requests with a known API key, and only as many at once as a key may have. */
export function apiKeyMiddleware(keys: ApiKeyChecker): Middleware {
  const inFlight = new RequestsInFlight();
  const turns = new ReadTurns();
  return async (request, response, next) => {
    request.arrivedAtMs = performance.now();
    await keys.check(request);
    inFlight.admit(request, response);
    if (request.method === 'GET' || request.method === 'HEAD') await turns.next();
    next();
  };
}

/**
 * Lets one read begin in each turn of the event loop. The work of a quote takes several turns; in each it would otherwise wait
 * for all reads that have arrived meanwhile: answers without a database are made without a pause.
 */
export class ReadTurns {
  private readonly waiting: (() => void)[] = [];

  /** Resolves when the read may begin. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(() => this.begin());
    });
  }

  private begin(): void {
    this.waiting.shift()?.();
    if (this.waiting.length > 0) setImmediate(() => this.begin());
  }
}
