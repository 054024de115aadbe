import type { NextFunction, Response } from 'express';

import type { KeyedRequest } from './keyed-request.ts';

/** Everything under these needs an API key: it is checked before a byte of the body is looked at. */
export const KEYED_PATHS = ['/api', '/sandbox'];

/** Notes whose API key a request has, or throws what is answered instead. */
export abstract class RequestKeys {
  abstract check(request: KeyedRequest): Promise<void>;
}

type Middleware = (request: KeyedRequest, response: Response, next: NextFunction) => Promise<void>;

/** Lets only requests pass whose API key is known. */
export function keyFirst(keys: RequestKeys): Middleware {
  return async (request, _response, next) => {
    await keys.check(request);
    next();
  };
}
