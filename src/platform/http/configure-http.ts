import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';

import { UnreadResponseLimit } from './unread-response-limit.ts';
import {
  sendContinue,
  BODY_LIMIT_BYTES,
  checkBody,
  checkBytes,
  explainBodyError,
  isReadableJson,
  isReadableList,
  LIST_LIMIT_BYTES,
  requireJson,
} from './json-body.ts';
import { JsonTextInterceptor } from './json-text.interceptor.ts';
import { KEYED_PATHS, apiKeyMiddleware, type ApiKeyChecker } from './api-key-middleware.ts';
import { FORM_PARSER } from './form-body.ts';
import { KnownParameters } from './known-parameters.interceptor.ts';
import { NOTICE_PARSER } from './notice-body.ts';
import { dropRequestsOfClosed, serializePipelined } from './serialize-pipelined.ts';
import { ProblemFilter } from './problem.filter.ts';
import { requestLog } from './request-log.ts';
import { closeStalledConnections, UNREAD_TIMEOUT_MS } from './close-stalled-connections.ts';
import { RequestValidation } from './validation.ts';
import { InvalidField } from './invalid-field.ts';

// Longer than the 60 s of common load balancers, which would otherwise send requests on connections that we are closing.
const KEEP_ALIVE_MS = 65_000;
const REQUEST_TIMEOUT_MS = 30_000;

// A constant, because the options' type in Nest would refuse `verify` in a literal.
const PARSER = {
  limit: BODY_LIMIT_BYTES,
  // Accepts a body of `null` or `"x"`, which is JSON: validation explains the fault.
  strict: false,
  verify: checkBytes,
  type: isReadableJson,
};
const LIST_PARSER = { ...PARSER, limit: LIST_LIMIT_BYTES, type: isReadableList };

/** Installs the middleware, filter, interceptors and pipe of every request, in this order; `main` and tests share it. */
export function configureHttp(
  app: NestExpressApplication,
  keys: ApiKeyChecker,
  unreadTimeoutMs = UNREAD_TIMEOUT_MS,
): void {
  app.disable('x-powered-by');
  const server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  closeStalledConnections(server, unreadTimeoutMs);
  // Without this listener, Node answers `Expect: 100-continue` at once, before the API key is checked.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  // Without this listener, Node answers any other expectation with 417, past every limit and the key. HTTP allows ignoring it.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  dropRequestsOfClosed(server);
  app.use(serializePipelined);
  app.use(requestLog);
  app.use(requireOneHost);
  app.use(KEYED_PATHS, apiKeyMiddleware(keys));
  app.use(requireJson);
  app.use(sendContinue);
  app.useBodyParser('raw', NOTICE_PARSER);
  app.useBodyParser('urlencoded', FORM_PARSER);
  app.useBodyParser('json', PARSER);
  app.useBodyParser('json', LIST_PARSER);
  app.use(explainBodyError);
  app.use(checkBody);
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalInterceptors(new JsonTextInterceptor(new UnreadResponseLimit()), new KnownParameters());
  app.useGlobalPipes(new RequestValidation());
}

/**
 * Refuses a request with several Host headers, as RFC 9112 (3.2) demands: Node reads the first, but a proxy may have checked
 * another. Throws InvalidField.
 */
function requireOneHost({ rawHeaders }: Request, _response: Response, next: NextFunction): void {
  const names = rawHeaders.filter((_text, index) => index % 2 === 0);
  if (names.filter((name) => name.toLowerCase() === 'host').length > 1)
    throw new InvalidField('host', 'must be one header');
  next();
}
