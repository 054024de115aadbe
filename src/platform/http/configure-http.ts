import type { NestExpressApplication } from '@nestjs/platform-express';

import { HeldAnswers } from './held-answers.ts';
import {
  askForBody,
  BODY_LIMIT_BYTES,
  checkBody,
  checkBytes,
  explainBodyError,
  isReadableJson,
  requireJson,
} from './json-body.ts';
import { JsonTextInterceptor } from './json-text.interceptor.ts';
import { KEYED_PATHS, keyFirst, type RequestKeys } from './key-first.ts';
import { KnownParameters } from './known-parameters.interceptor.ts';
import { NOTICE_PARSER } from './notice-body.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { ProblemFilter } from './problem.filter.ts';
import { requestLog } from './request-log.ts';
import { closeUnread, UNREAD_MS } from './unread-answers.ts';
import { RequestValidation } from './validation.ts';

// Longer than the 60 s of common load balancers, or they meet connections that are just being closed.
const KEEP_ALIVE_MS = 65_000;
const REQUEST_TIMEOUT_MS = 30_000;

// Not written into the call: Nest's type leaves out `verify`, which it needs itself only for raw bodies.
const PARSER = {
  limit: BODY_LIMIT_BYTES,
  // A body of `null` or `"x"` is JSON: validation says what is wrong with it.
  strict: false,
  verify: checkBytes,
  type: isReadableJson,
};

/** Everything that each request and each answer goes through, in this order; the same in main and in tests. */
export function configureHttp(app: NestExpressApplication, keys: RequestKeys, unreadMs = UNREAD_MS): void {
  app.disable('x-powered-by');
  const server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  closeUnread(server, unreadMs);
  // Without a listener, Node asks for every body at once.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  app.use(oneAtATime);
  app.use(requestLog);
  app.use(KEYED_PATHS, keyFirst(keys));
  app.use(requireJson);
  app.use(askForBody);
  app.useBodyParser('raw', NOTICE_PARSER);
  app.useBodyParser('json', PARSER);
  app.use(explainBodyError);
  app.use(checkBody);
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalInterceptors(new JsonTextInterceptor(new HeldAnswers()), new KnownParameters());
  app.useGlobalPipes(new RequestValidation());
}
