import type { NextFunction, Response } from 'express';

import type { KeyedRequest } from './keyed-request.ts';
import { ReadTurns } from './read-turns.ts';
import { RequestsInFlight } from './requests-in-flight.ts';

/** The paths below which every request needs an API key: it is checked before a byte of the body is read. */
export const KEYED_PATHS = ['/api', '/sandbox'];

/** Sets the name of the request's API key on the request; throws when the key is missing or unknown. */
export abstract class ApiKeyChecker {
  abstract check(request: KeyedRequest): Promise<void>;
}

type Middleware = (request: KeyedRequest, response: Response, next: NextFunction) => Promise<void>;

/** Passes on only requests with a known API key, and not more at once for a key than it may have. */
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
